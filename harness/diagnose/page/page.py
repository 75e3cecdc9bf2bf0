"""The page of a diagnosis, verdict first: one self-contained HTML file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from harness.cli.terminal import percent
from harness.diagnose.facts import Measurements
from harness.diagnose.page.binned_counters import add_counters
from harness.diagnose.page.flames import FlameGraph, flame_data, flame_section
from harness.diagnose.page.latency import RequestLatency, latency_section
from harness.diagnose.page.links import (
    CAUSES,
    COMPARISON,
    LOCKS,
    SLOTS,
    WAITS,
    findings_by_panel,
)
from harness.diagnose.page.machine import disk_section, machine_section, sleep_section
from harness.diagnose.page.section import Section, absent
from harness.diagnose.page.timeline import TimelineContent, timeline_section
from harness.diagnose.panel import findings_panel
from harness.diagnose.path_probe import ProbeRead
from harness.diagnose.readings.reading import MachineReading
from harness.diagnose.result import DiagnoseResult
from harness.page import document
from harness.page.document import Document
from harness.page.flame_script import flame_script
from harness.page.panels import LOOKS, Panel, StyleSheets
from harness.page.source_files import sources
from harness.profile.time_bins import TimeGrid
from harness.topdown.panel import slots_panel
from harness.topdown.result import TopdownResult
from harness.topdown.styles import FOLDER as SLOTS_FOLDER
from harness.topdown.styles import STYLES as SLOTS_STYLES
from harness.waits.binned import BINS, BinnedValues
from harness.waits.graph_panel import graph_panel
from harness.waits.locks_panel import locks_panels
from harness.waits.panel import waits_panel
from harness.waits.result import WaitsResult
from stallscope.printable import visible_text
from stallscope.quantities import value_text
from topdown.waits.weight import Weight

_NO_BINS = (
    "These values are those of the whole recording, because they are not known by time here; for a "
    "period alone: stallscope waits RUN --period FROM-TO"
)
_WHOLE = "This part is that of the whole recording."
_START = (
    ("harness.page", "period_cells.js"),
    ("harness.diagnose", "page/timeline.js"),
    ("harness.diagnose", "page/start.js"),
)


@dataclass(frozen=True, slots=True)
class DiagnosePageContent:
    """All parts of the page; a part that was not recorded is None or empty.

    ``extent_ns``: begin and end of the recording, CLOCK_MONOTONIC. ``binned``: waits by time.
    ``comparison``: the panel of differences to another recording. ``summary``: a section above the
    findings; ``more``: further sections at the end. ``rules``: their CSS. ``verdict``: in place of
    that of the result.
    """

    result: DiagnoseResult
    waits: WaitsResult
    extent_ns: tuple[int, int]
    binned: BinnedValues | None = None
    flames: tuple[FlameGraph, ...] = ()
    slots: TopdownResult | None = None
    measurements: Measurements = field(default_factory=Measurements)
    readings: Sequence[MachineReading] = ()
    reads: Sequence[ProbeRead] = ()
    latency: RequestLatency = RequestLatency()  # noqa: RUF009 - immutable
    comparison: Panel | None = None
    summary: Section | None = None
    more: tuple[Section, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    recording_name: str = ""
    rules: str = ""
    verdict: str | None = None

    @property
    def grid(self) -> TimeGrid | None:
        """Return the bins of time that all panels share; None if the recording is too short."""
        begin_ns, end_ns = self.extent_ns
        bin_ns = -(-(end_ns - begin_ns) // BINS)
        return TimeGrid(begin_ns, bin_ns, BINS) if bin_ns > 0 else None


@dataclass(frozen=True, slots=True)
class _Shown:
    """A section as the template shows it. ``own_id``: its markup has the id."""

    id: str
    title: str
    state: str
    markup: Markup
    numbers: tuple[int, ...]
    own_id: bool
    whole_only: str


def render_diagnose_page(content: DiagnosePageContent) -> str:
    """Return the page, to be written as UTF-8; every name is escaped."""
    result, grid = content.result, content.grid
    series = content.binned
    if grid is not None:
        series = series or BinnedValues(grid.count, grid.bin_ns / 1e9)
        add_counters(series, content.readings, grid)
    findings = findings_panel(result)
    sections = _sections(content, series)
    numbers = findings_by_panel(result.findings)
    styles: dict[StyleSheets, None] = dict.fromkeys(
        (package, tuple(names))
        for package, names in (
            *findings.styles,
            *(sheet for section in sections for sheet in section.styles),
        )
    )
    data: dict[str, object] = {"flames": flame_data(content.flames, grid)}
    if series is not None:
        data["bins"] = series.payload()
    return document.render(
        Document(
            template="harness.diagnose/page/page.html",
            title=f"{visible_text(result.title, 200)} · diagnosis · stallscope",
            style="\n".join([*(sources(*sheet) for sheet in (LOOKS, *styles)), content.rules]),
            values={
                "verdict": content.verdict or result.verdict,
                "about": f"diagnosis of {result.title}",
                "recording": content.recording_name,
                "figures": _figures(content),
                "contents": [
                    *((content.summary,) if content.summary else ()),
                    Section("findings", _findings_title(result), Markup()),
                    *sections,
                ],
                "summary": content.summary.markup if content.summary else "",
                "findings": findings.markup,
                "sections": [
                    _Shown(
                        section.id,
                        section.title,
                        section.state,
                        section.markup,
                        numbers.get(section.id, ()),
                        f'id="{section.id}"' in section.markup,
                        section.whole_only,
                    )
                    for section in sections
                ],
                "facts": {label: text for label, text in content.facts.items() if text},
            },
            script=flame_script(_START),
            data=data,
        )
    )


def _findings_title(result: DiagnoseResult) -> str:
    count = len(result.findings)
    return "Nothing stands out" if not count else f"{count} finding{'s' * (count > 1)}"


def _figures(content: DiagnosePageContent) -> list[tuple[str, str]]:
    result = content.result
    figures = []
    if result.findings:
        figures.append(("Costs", percent(result.findings[0].cost_share)))
    figures.append(("Recorded for", value_text(result.wall_ns, "ns")))
    figures.append(("Threads", f"{sum(group.threads for group in content.waits.groups):,}"))
    if result.running_share is not None:
        figures.append(("Working threads run", percent(result.running_share)))
    if content.measurements.cpu is not None:
        figures.append(("CPU samples", f"{content.measurements.cpu.samples:,}"))
    if result.overhead_share is not None:
        figures.append(("Recorder", f"{percent(result.overhead_share)} of the target's CPU time"))
    return figures


def _sections(content: DiagnosePageContent, series: BinnedValues | None) -> list[Section]:
    measurements = content.measurements
    parts: list[Section] = []
    if content.grid is not None:
        on_cpu = next(
            (graph.profile for graph in content.flames if graph.weight is Weight.CPU), None
        )
        timeline = TimelineContent(
            content.grid, content.waits, content.binned, on_cpu, content.readings, content.reads
        )
        parts.append(timeline_section(timeline))
    parts.append(flame_section(content.flames))
    parts.append(_slots_section(content))
    parts += _waits_sections(content)
    parts.append(sleep_section(measurements))
    parts.append(machine_section(measurements, series))
    parts.append(disk_section(measurements, series))
    parts.append(
        latency_section(content.latency, measurements.probe, content.reads, content.extent_ns[0])
    )
    if content.comparison is not None:
        panel = content.comparison
        parts.append(
            Section(COMPARISON, "Comparison", panel.markup, tuple(panel.styles), "", _WHOLE)
        )
    else:
        reason = "Nothing to compare with: this page has one recording."
        remedy = "After a change: stallscope diagnose NEW --baseline RUN."
        parts.append(absent(COMPARISON, "Comparison", reason, remedy))
    return [*parts, *content.more]


def _slots_section(content: DiagnosePageContent) -> Section:
    slots = content.slots
    if slots is None:
        missing = content.measurements.slots_missing
        reason = f"Slots were not counted: {missing or 'no counters in this recording'}."
        remedy = "stallscope diagnose --model -- CMD models them for a command."
        return absent(SLOTS, "CPU slots", reason, remedy)
    state = "modelled" if slots.kind == "modelled" else ""
    return Section(
        SLOTS, "CPU slots", slots_panel(slots), ((SLOTS_FOLDER, SLOTS_STYLES),), state, _WHOLE
    )


def _waits_sections(content: DiagnosePageContent) -> list[Section]:
    waits, binned = content.waits, content.binned
    panels = [
        (WAITS, "Waits", waits_panel(waits, binned, controls=False)),
        (CAUSES, "Causes of waits", graph_panel(waits, binned)),
    ]
    locks = locks_panels(waits, binned)
    whole_only = _NO_BINS if binned is None else ""
    panels += [(LOCKS, "Locks", panel) for panel in locks]
    parts = [
        Section(section_id, title, panel.markup, tuple(panel.styles), "", whole_only)
        for section_id, title, panel in panels
    ]
    if not locks:
        parts.append(absent(LOCKS, "Locks", "No thread waited for a lock."))
    return parts
