"""The page of the stages lab: both flame graphs side by side, the table, latency, slots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Template

import stallscope
from harness.page import document, latency_panel
from harness.page.document import Document, escaped
from harness.page.panels import LOOKS, host_section
from harness.topdown import panel as slots_panel
from harness.topdown.panel import absent_panel, shown
from topdown.stacks.flame.svg import STYLE, render_svg
from topdown.stacks.profile import Profile

_FOLDER = "harness.labs.stages"
_FLAME_WIDTH_PX = 760


@dataclass(frozen=True, slots=True)
class SideFlame:
    """One side's profile, and where its own page lies, relative to this one."""

    name: str
    profile: Profile
    page: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A text in a table; ``look`` is "better", "worse" or empty."""

    text: str
    look: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of a table under a heading: a name, then one cell a column."""

    heading: str
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


@dataclass(frozen=True, slots=True)
class StagesPage:
    """All that the page shows; every text is taken for a stranger's."""

    title: str
    recording_name: str
    source: str
    verdict: str
    reason: str
    notes: Sequence[str]
    columns: Sequence[str]
    table: Sequence[Block]
    flames: Sequence[SideFlame]
    flames_why_not: str
    latency: Sequence[latency_panel.Series]
    latency_hint: str
    simulated: Block | None
    slots: Block | None
    slots_why_not: str
    facts: Mapping[str, str]


def render_stages_page(page: StagesPage) -> str:
    """Return the page, to be written as UTF-8: self-contained, without a script."""
    notes = "".join(f"<li>{shown(note)}</li>" for note in page.notes)
    body = Template(document.sources(_FOLDER, ("page.html",))).substitute(
        title=shown(page.title),
        recording=shown(page.recording_name),
        source=shown(page.source),
        verdict=shown(page.verdict),
        reason=shown(page.reason),
        notes=f'<ul class="slots-warnings">{notes}</ul>' if notes else "",
        flames=_flames(page),
        table=_table(page.columns, page.table),
        latency=latency_panel.latency_panel(page.latency, title="Latency", hint=page.latency_hint),
        simulated=_simulated(page),
        slots=_slots(page),
        host=host_section(page.facts),
        footer=escaped(f"Made by stallscope {stallscope.__version__}. Nothing here was fetched."),
    )
    styles = (
        document.sources(*LOOKS),
        document.sources(slots_panel.FOLDER, slots_panel.STYLES),
        document.sources(latency_panel.FOLDER, latency_panel.STYLES),
        document.sources(_FOLDER, ("stages.css",)),
        # Nested: the graph's own names of looks mean nothing outside it.
        f".flames svg {{{STYLE}}}",
    )
    title = f"{page.title} · stallscope"
    return document.render(Document(title, "\n".join(styles), body, data={}, script=""))


def _panel(name: str, title: str, hint: str, body: str) -> str:
    return (
        f'<section class="panel" id="{name}" aria-labelledby="{name}-title">'
        f'<div class="panel-head"><h2 id="{name}-title">{title}</h2>'
        f'<p class="hint">{shown(hint)}</p></div>{body}</section>'
    )


def _flames(page: StagesPage) -> str:
    if not page.flames:
        body = f'<div class="padded"><p>{shown(page.flames_why_not)}</p></div>'
        return _panel("flames", "Flame graphs", "unavailable", body)
    figures = "".join(
        f'<figure><figcaption>{shown(one.name)} <a href="{escaped(one.page)}">its own page, to '
        "search and zoom</a></figcaption>"
        f"{render_svg(one.profile, width=_FLAME_WIDTH_PX, inverted=False, with_style=False)}"
        "</figure>"
        for one in page.flames
    )
    hint = "the same load, the server saturated, sampled by its pid"
    return _panel("flames", "Both flame graphs", hint, f'<div class="flames">{figures}</div>')


def _simulated(page: StagesPage) -> str:
    if page.simulated is None:
        return ""
    table = _table(page.columns, [page.simulated])
    return _panel("simulated", "Simulated instruction cache", "modelled, not measured", table)


def _slots(page: StagesPage) -> str:
    if page.slots is not None:
        return _panel("slots", "CPU slots", "measured", _table(page.columns[:2], [page.slots]))
    return absent_panel(
        f"Slots and IPC were not counted: {page.slots_why_not}",
        (
            ("stallscope doctor", "says what keeps hardware counters away"),
            (
                "stallscope topdown --source model -- CMD",
                "models the slots of a program by simulation, and says so on each line",
            ),
        ),
    )


def _table(columns: Sequence[str], blocks: Sequence[Block]) -> str:
    heads = "".join(f'<th scope="col" class="number">{shown(name)}</th>' for name in columns)
    parts = []
    for block in blocks:
        parts.append(
            f'<tr><th scope="rowgroup" class="load" colspan="{len(columns) + 1}">'
            f"{shown(block.heading)}</th></tr>"
        )
        for name, cells in block.rows:
            values = "".join(
                f'<td class="number {cell.look}">{shown(cell.text)}</td>' for cell in cells
            )
            parts.append(f"<tr><td>{shown(name)}</td>{values}</tr>")
    return (
        f'<div class="scroll"><table class="stages-table"><thead><tr><th scope="col"></th>{heads}'
        f"</tr></thead><tbody>{''.join(parts)}</tbody></table></div>"
    )
