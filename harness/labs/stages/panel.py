"""The page of the stages lab: both flame graphs, the tables, latency, simulated cache, slots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from harness.labs.stages.plan import SATURATED
from harness.labs.stages.quantities import BATCH, THROUGHPUT, estimate_text, ratio_text
from harness.labs.stages.result import LoadTable, StagesResult
from harness.labs.stages.slot_panel import slot_trees
from harness.labs.stages.text import (
    TableRow,
    heading,
    measured_rows,
    simulated_rows,
)
from harness.page import document, latency_panel
from harness.page.document import Document
from harness.page.panels import LOOKS, Panel
from harness.page.source_files import sources
from harness.topdown.absent_panel import absent_panel
from harness.topdown.styles import FOLDER as SLOTS_FOLDER
from harness.topdown.styles import STYLES as SLOTS_STYLES
from topdown.stacks.flame.svg import STYLE, render_svg
from topdown.stacks.profile import Profile

_FOLDER = "harness.labs.stages"
_FLAME_WIDTH_PX = 760
_COLUMNS = ("unstaged", "staged", "staged / unstaged")
_MIN_COLOURED_EFFECT = 0.01


@dataclass(frozen=True, slots=True)
class SideFlame:
    """The profile of one side, and the path of its page relative to the lab's page."""

    name: str
    profile: Profile
    page: str


@dataclass(frozen=True, slots=True)
class PageData:
    """What the page shows beside the result."""

    recording_name: str
    flames: Sequence[SideFlame]
    latency: Sequence[latency_panel.Series]
    latency_hint: str
    facts: Mapping[str, str]  # about the machine


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    look: str = ""  # "better", "worse" or empty


@dataclass(frozen=True, slots=True)
class _Block:
    """Rows of a table under a heading: name and cells."""

    heading: str
    rows: Sequence[tuple[str, Sequence[_Cell]]]


def render_page(result: StagesResult, data: PageData) -> str:
    """Return the page, to be written as UTF-8: self-contained, without a script."""
    synthetic = " (synthetic code)" if result.synthetic else ""
    title = f"Execution stages off and on: {result.path}{synthetic}"
    latency = latency_panel.latency_panel(
        data.latency, title="Latency", hint=data.latency_hint, over_time=True
    )
    styles = (
        sources(*LOOKS),
        sources(SLOTS_FOLDER, SLOTS_STYLES),
        *(sources(*sheets) for sheets in latency.styles),
        sources(_FOLDER, ("stages.css",)),
        # Nested, because the class names of the graph are generic.
        f".flames svg {{{STYLE}}}",
    )
    values = {
        "title": title,
        "recording": data.recording_name,
        "source": heading(result),
        "facts": data.facts,
        "with_flames": True,
        "flames": [_flame_values(flame) for flame in data.flames],
        "no_flames": result.profiles_unavailable or "not recorded",
        "latency": latency.markup,
        **_tables(result),
    }
    return document.render(
        Document(
            template="harness.labs.stages/page.html",
            title=f"{title} · stallscope",
            style="\n".join(styles),
            values=values,
        )
    )


def stages_panel(result: StagesResult) -> Panel:
    """Return verdict, tables, simulated cache and slots, for a page with other panels."""
    markup = document.fragment(
        f"{_FOLDER}/main.html", with_flames=False, latency="", **_tables(result)
    )
    return Panel(markup, ((SLOTS_FOLDER, SLOTS_STYLES), (_FOLDER, ("stages.css",))))


def _tables(result: StagesResult) -> dict[str, object]:
    return {
        "verdict": result.verdict,
        "reason": result.verdict_reason,
        "notes": result.notes,
        "columns": _COLUMNS,
        "loads": [_load_block(table) for table in result.loads],
        "simulated": _simulated(result),
        "slots": slot_trees(result),
        "no_slots": _no_slots(result),
    }


def _flame_values(flame: SideFlame) -> dict[str, str]:
    picture = render_svg(flame.profile, width=_FLAME_WIDTH_PX, inverted=False, with_style=False)
    # The SVG was written with its texts escaped, so it is inserted unchanged.
    return {"name": flame.name, "page": flame.page, "picture": Markup(picture)}  # noqa: S704


def _simulated(result: StagesResult) -> _Block:
    rows = [(name, [_Cell(text) for text in texts]) for name, *texts in simulated_rows(result)]
    return _Block(result.simulation.model or "", rows)


def _no_slots(result: StagesResult) -> Markup:
    """Return the panel that explains missing slots."""
    return absent_panel(
        f"Slots and IPC were not counted: {result.slots_unavailable or 'not reached'}",
        (
            ("stallscope doctor", "reports why hardware counters are unavailable"),
            (
                "stallscope topdown --source model -- CMD",
                "models the slots of a program by simulation and marks them as modelled",
            ),
        ),
    )


def _load_block(table: LoadTable) -> _Block:
    rows = [(row[0].name, _cells(table, row)) for row in measured_rows(table)]
    return _Block(table.level.text, rows)


def _cells(table: LoadTable, row: TableRow) -> list[_Cell]:
    quantity, sides = row
    return [
        _Cell(estimate_text(sides.unstaged, quantity.text)),
        _Cell(estimate_text(sides.staged, quantity.text)),
        _Cell(ratio_text(sides.ratio), _look(table, row)),
    ]


def _look(table: LoadTable, row: TableRow) -> str:
    """Return whether staged is better or worse in every round by more than 1 %."""
    quantity, sides = row
    if quantity is BATCH:
        return ""
    if quantity is THROUGHPUT and table.level != SATURATED:
        return ""  # the rate is an input
    more = sides.ratio.is_above(1 + _MIN_COLOURED_EFFECT)
    less = sides.ratio.is_below(1 - _MIN_COLOURED_EFFECT)
    better, worse = (more, less) if quantity is THROUGHPUT else (less, more)
    return "better" if better else "worse" if worse else ""
