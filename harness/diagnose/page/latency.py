"""The section on latency: of requests, if a load generator logged them, and of reads of --path."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from markupsafe import Markup

from harness.diagnose.page.links import LATENCY
from harness.diagnose.page.section import Section, absent
from harness.diagnose.path_probe import FILE, PathProbe, ProbeRead
from harness.page.document import fragment
from harness.page.latency_panel import STYLE, Series, latency_figures, series_names
from harness.page.panels import TABLE_STYLE
from harness.page.plot import Axis, Figure, Plot, round_ticks
from stallscope.documents import read_bounded
from stallscope.quantities import value_text

_NS_PER_MS = 1e6
_MAX_READS = 2000
_REMEDY = "stallscope load measures requests; diagnose --path DIR measures reads of its disk."


@dataclass(frozen=True, slots=True)
class RequestLatency:
    """Logs of a load generator; ``hint`` says of which load they are."""

    series: tuple[Series, ...] = ()
    hint: str = ""


def probe_reads(recording: Path) -> tuple[ProbeRead, ...]:
    """Return the reads of --path; none if there are none, or if the file is damaged."""
    path = recording / FILE
    if not path.is_file():
        return ()
    try:
        lines = read_bounded(path).split(b"\n")[1:-1]
        return tuple(msgspec.json.decode(line, type=ProbeRead) for line in lines)
    except (msgspec.MsgspecError, OSError):
        return ()  # the diagnosis has the warning


def latency_section(
    requests: RequestLatency, probe: PathProbe | None, reads: Sequence[ProbeRead], begin_ns: int
) -> Section:
    """Return the section; ``begin_ns``: begin of the recording, CLOCK_MONOTONIC."""
    series = requests.series
    figures = latency_figures(series, over_time=True) if series else []
    facts = []
    if probe is not None and probe.p50_us is not None and probe.p99_us is not None:
        facts = [
            ("reads of one block", f"{probe.reads:,} from {probe.path}"),
            ("median", value_text(round(probe.p50_us * 1e3), "ns")),
            ("p99", value_text(round(probe.p99_us * 1e3), "ns")),
        ]
    if len(reads) > 1:
        figures.append(Figure(_reads_plot(reads, begin_ns), "Reads of --path over time"))
    if not figures and not facts:
        reason = "No latency was measured: no load generator is part of this recording."
        if probe is not None and probe.missing:
            reason = f"No latency was measured: {probe.path}: {probe.missing}."
        return absent(LATENCY, "Latency", reason, _REMEDY)
    markup = fragment(
        "harness.diagnose/page/latency.html",
        names=series_names(series),
        figures=figures,
        facts=facts,
        hint=requests.hint if series else "measured while the target was recorded",
    )
    return Section(LATENCY, "Latency", markup, (TABLE_STYLE, STYLE))


def _reads_plot(reads: Sequence[ProbeRead], begin_ns: int) -> Markup:
    shown = reads[:: -(-len(reads) // _MAX_READS)]
    points = [
        (max(0.0, (row.begin_ns - begin_ns) / 1e9), row.latency_ns / _NS_PER_MS) for row in shown
    ]
    end = max([0.1, *(time_s for time_s, _ in points)])
    top = max([0.001, *(latency for _, latency in points)]) * 1.08
    plot = Plot(
        Axis(0, end, "s", round_ticks(end)),
        Axis(0, top, "latency, ms", round_ticks(top)),
        "Latency of reads over time",
    )
    return plot.drawn(plot.line(points, "series-0"))
