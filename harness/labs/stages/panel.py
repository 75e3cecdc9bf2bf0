"""The page of the stages lab: both flame graphs, the tables, latency, simulated cache, slots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from harness.labs.stages.plan import SATURATED
from harness.labs.stages.quantities import BATCH, THROUGHPUT, estimate_text, ratio_text
from harness.labs.stages.result import LoadTable, StagesResult
from harness.labs.stages.text import (
    TableRow,
    heading,
    measured_rows,
    simulated_rows,
    slot_text,
)
from harness.page import document, latency_panel
from harness.page.document import Document, escaped, escaped_visible
from harness.page.panels import LOOKS
from harness.topdown import panel as slots_panel
from harness.topdown.absent_panel import absent_panel
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
    notes = "".join(f"<li>{escaped_visible(note)}</li>" for note in result.notes)
    styles = (
        document.sources(*LOOKS),
        document.sources(slots_panel.FOLDER, slots_panel.STYLES),
        document.sources(latency_panel.FOLDER, latency_panel.STYLES),
        document.sources(_FOLDER, ("stages.css",)),
        # Nested, because the class names of the graph are generic.
        f".flames svg {{{STYLE}}}",
    )
    panels = {
        "notes": f'<ul class="slots-warnings">{notes}</ul>' if notes else "",
        "flames": _flames(result, data.flames),
        "table": _table(_COLUMNS, [_load_block(table) for table in result.loads]),
        "latency": latency_panel.latency_panel(
            data.latency, title="Latency", hint=data.latency_hint
        ),
        "simulated": _simulated(result),
        "slots": _slots(result),
    }
    values = {
        "title": title,
        "recording": data.recording_name,
        "source": heading(result),
        "verdict": result.verdict,
        "reason": result.verdict_reason,
        "facts": data.facts,
        **{name: Markup(markup) for name, markup in panels.items()},  # noqa: S704 - escaped there
    }
    return document.render(
        Document(
            template="harness.labs.stages/page.html",
            title=f"{title} · stallscope",
            style="\n".join(styles),
            values=values,
        )
    )


def _panel(name: str, title: str, hint: str, body: str) -> str:
    return (
        f'<section class="panel" id="{name}" aria-labelledby="{name}-title">'
        f'<div class="panel-head"><h2 id="{name}-title">{title}</h2>'
        f'<p class="hint">{escaped_visible(hint)}</p></div>{body}</section>'
    )


def _flames(result: StagesResult, flames: Sequence[SideFlame]) -> str:
    if not flames:
        reason = escaped_visible(result.profiles_unavailable or "not recorded")
        body = f'<div class="padded"><p>{reason}</p></div>'
        return _panel("flames", "Flame graphs", "unavailable", body)
    figures = "".join(
        f"<figure><figcaption>{escaped_visible(flame.name)} "
        f'<a href="{escaped(flame.page)}">full page with '
        "search and zoom</a></figcaption>"
        f"{render_svg(flame.profile, width=_FLAME_WIDTH_PX, inverted=False, with_style=False)}"
        "</figure>"
        for flame in flames
    )
    hint = "the same load, the server saturated, sampled by its pid"
    return _panel("flames", "Both flame graphs", hint, f'<div class="flames">{figures}</div>')


def _simulated(result: StagesResult) -> str:
    rows = simulated_rows(result)
    if not rows:
        return ""
    block = _Block(
        result.simulation.model or "",
        [(name, [_Cell(text) for text in texts]) for name, *texts in rows],
    )
    table = _table(_COLUMNS, [block])
    return _panel("simulated", "Simulated instruction cache", "modelled, not measured", table)


def _slots(result: StagesResult) -> str:
    if not result.slots:
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
    rows = [
        (name, [_Cell(slot_text(name, value)) for value in result.slot_values(name)])
        for name in result.slot_names
    ]
    block = _Block("while saturated, by the server's pid", rows)
    return _panel("slots", "CPU slots", "measured", _table(_COLUMNS[:2], [block]))


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


def _table(columns: Sequence[str], blocks: Sequence[_Block]) -> str:
    heads = "".join(
        f'<th scope="col" class="number">{escaped_visible(name)}</th>' for name in columns
    )
    parts = []
    for block in blocks:
        if not block.rows:
            continue
        parts.append(
            f'<tr><th scope="rowgroup" class="load" colspan="{len(columns) + 1}">'
            f"{escaped_visible(block.heading)}</th></tr>"
        )
        for name, cells in block.rows:
            values = "".join(
                f'<td class="number {cell.look}">{escaped_visible(cell.text)}</td>'
                for cell in cells
            )
            parts.append(f"<tr><td>{escaped_visible(name)}</td>{values}</tr>")
    return (
        f'<div class="scroll"><table class="stages-table"><thead><tr><th scope="col"></th>{heads}'
        f"</tr></thead><tbody>{''.join(parts)}</tbody></table></div>"
    )
