"""The panel "Latency" of a probe: histograms and percentiles of its reads, and its self check."""

from harness.io.latencies import NAMES, histogram_log
from harness.io.probe.result import ProbeResult, ReadResult
from harness.io.probe.text import check_text, errors_text, latency_cells
from harness.page.document import fragment
from harness.page.latency_panel import STYLE, Series, latency_figures, look, series_names
from harness.page.panels import Panel
from harness.page.plot import Axis, Figure, Plot, round_ticks
from harness.recordings.results import facts_text
from stallscope.histograms import Geometry

GEOMETRY = Geometry(lowest=1, digits=3)  # of the engine's histograms
STEP_S = 0.1  # of the engine's series
MIN_STEPS = 10
MAX_STEPS = 20_000  # half an hour; more points would not be visible


def panels(result: ProbeResult) -> tuple[Panel, ...]:
    """Return the panel of a probe."""
    series = [
        Series(name, histogram_log(reads.histogram, GEOMETRY, reads.seconds), counts_requests=False)
        for name, reads in result.reads.items()
        if reads.histogram
    ]
    markup = fragment(
        "harness.io.probe/panel.html",
        hint=f"{result.reads_text}, {result.source_text}",
        names=series_names(series),
        figures=[*latency_figures(series), *_rate_figures(result)],
        heads=("Reads", "Requests", "Requests/s", *NAMES),
        rows=[_cells(name, reads) for name, reads in result.reads.items()],
        checks=[
            {
                "ok": reads.self_check.ok,
                "text": f"{name}: {check_text(reads)}",
                "notes": [f"{name}: {text}" for text in (*errors_text(reads), *reads.notes)],
            }
            for name, reads in result.reads.items()
        ],
        hints=(
            *result.missing,
            *result.warnings,
            facts_text(result.facts),
        ),
    )
    return (Panel(markup, (STYLE,)),)


def _rate_figures(result: ProbeResult) -> list[Figure]:
    """Return the plot of requests per second over time; none for less than a second."""
    points = [(STEP_S * (step + 0.5), rate) for step, rate in enumerate(result.series[:MAX_STEPS])]
    if len(points) < MIN_STEPS:
        return []
    end, top = STEP_S * len(points), 1.08 * max(1.0, *(rate for _, rate in points))
    plot = Plot(
        Axis(0, end, "s", round_ticks(end)),
        Axis(0, top, "requests/s", round_ticks(top)),
        "Requests per second over time",
    )
    drawn = plot.drawn(plot.line(points, look(0)))
    return [Figure(drawn, f"{result.cache}: requests per second over time")]


def _cells(name: str, reads: ReadResult) -> tuple[str, ...]:
    rate = "n/a" if reads.iops is None else f"{reads.iops:,.0f}"
    return (name, f"{reads.requests:,}", rate, *latency_cells(reads))
