"""The panel "Latency": histogram, percentile curve and rate over time.

All plots come from merged histograms; percentiles are never averaged.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from harness.page.document import fragment
from harness.page.panels import Panel, StyleSheets
from harness.page.plot import Axis, Figure, Plot, Tick, decade_ticks, round_ticks
from stallscope.histograms import Histogram, IntervalLog
from stallscope.quantities import value_text

STYLE: StyleSheets = ("harness.page", ("latency.css",))
PERCENTS = (50.0, 90.0, 95.0, 99.0, 99.9, 100.0)
_BINS = 72
_NS_PER_MS = 1e6
_MAX_SERIES = 4
_CURVE = tuple(1 - 10 ** (-step / 20) for step in range(101))  # to 99.999 %
DECADES = {3: "1 µs", 4: "10 µs", 5: "100 µs", 6: "1 ms", 7: "10 ms", 8: "100 ms", 9: "1 s",
            10: "10 s", 11: "100 s"}  # fmt: skip
_CURVE_TICKS = tuple(
    Tick(-math.log10(1 - share), text)
    for share, text in ((0, "0 %"), (0.5, "50"), (0.9, "90"), (0.99, "99"), (0.999, "99.9"),
                        (0.9999, "99.99"))
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Series:
    """The latency of one run: name and log, in ns.

    ``counts_requests`` is false if another series of the same run shows the rate over time.
    """

    name: str
    log: IntervalLog
    counts_requests: bool = True


def latency_panel(
    series: Sequence[Series], *, title: str, hint: str, over_time: bool = False
) -> Panel:
    """Return the panel; a series without values has a name and no line.

    With ``over_time`` it has a plot of p99 over time too.
    """
    markup = fragment(
        "harness.page/latency_panel.html",
        title=title,
        hint=hint,
        names=series_names(series),
        figures=latency_figures(series, over_time=over_time),
        heads=("Run", "Requests", "mean", *(f"p{percent:g}" for percent in PERCENTS[:-1]), "max"),
        rows=[_cells(run, histogram) for run, histogram in _wholes(series)],
        warnings=[warning for run in series for warning in run.log.warnings],
    )
    return Panel(markup, (STYLE,))


def series_names(series: Sequence[Series]) -> list[str]:
    """Return the names of the series that are drawn."""
    return [run.name for run in series[:_MAX_SERIES]]


def latency_figures(series: Sequence[Series], *, over_time: bool = False) -> list[Figure]:
    """Return the plots of the runs; none if there are no values."""
    parts = {
        index: histogram
        for index, (_, histogram) in enumerate(_wholes(series))
        if histogram and histogram.total
    }
    if not parts:
        return []
    low, high = _bounds(list(parts.values()))
    figures = [
        Figure(_histogram(parts, low, high), "Distribution of latency"),
        Figure(_curve(parts, low, high), "Latency by percentile"),
    ]
    over = _p99_points({index: series[index].log for index in parts}) if over_time else {}
    if any(len(points) > 1 for points in over.values()):
        figures.append(
            Figure(
                _over_time(over, "p99", "p99, ms", least=0.001), "p99 of every interval over time"
            )
        )
    counted = {index: series[index].log for index in parts if series[index].counts_requests}
    if counted:
        figures.append(Figure(_rate(counted), "Requests per second over time"))
    return figures


def _wholes(series: Sequence[Series]) -> list[tuple[Series, Histogram | None]]:
    return [(run, run.log.merged()) for run in series[:_MAX_SERIES]]


def look(number: int) -> str:
    """Return the CSS class of a series by its index."""
    return f"series-{number}"


def _bounds(histograms: Sequence[Histogram]) -> tuple[float, float]:
    """Return the ends of the latency axis: thirds of a decade around all values."""
    least = min(histogram.percentile(0) or 1.0 for histogram in histograms)
    most = max(histogram.largest() or 1.0 for histogram in histograms)
    third = 3
    low = math.floor(math.log10(max(least, 1.0)) * third) / third
    high = math.ceil(math.log10(max(most, 10.0)) * third) / third
    return 10.0**low, 10.0 ** max(high, low + 1 / third)


def _latency_axis(low: float, high: float) -> Axis:
    return Axis(low, high, "latency", decade_ticks(low, high, DECADES), logarithmic=True)


def _histogram(histograms: Mapping[int, Histogram], low: float, high: float) -> Markup:
    edges = np.geomspace(low, high, _BINS + 1)
    shares = {}
    for index, histogram in histograms.items():
        least, most = histogram.geometry.bounds(np.arange(len(histogram.counts)))
        counts, _ = np.histogram((least + most) / 2, bins=edges, weights=histogram.counts)
        shares[index] = 100 * counts / histogram.total
    top = max(float(share.max()) for share in shares.values()) * 1.05
    ticks = round_ticks(top)
    plot = Plot(
        _latency_axis(low, high), Axis(0, top, "% of requests", ticks), "Histogram of latency"
    )
    return plot.drawn(
        *(
            bar
            for index, share in shares.items()
            for bar in plot.bars(list(zip(edges[:-1], edges[1:], share, strict=True)), look(index))
        )
    )


def _curve(histograms: Mapping[int, Histogram], low: float, high: float) -> Markup:
    x = Axis(0, 5, "percentile", _CURVE_TICKS)
    y = Axis(low, high, "latency", decade_ticks(low, high, DECADES), logarithmic=True)
    plot = Plot(x, y, "Latency by percentile")
    lines = []
    for index, histogram in histograms.items():
        # With fewer than one value above it, a percentile only repeats the maximum.
        shares = [share for share in _CURVE if (1 - share) * histogram.total >= 1] or [0.0]
        points = [
            (-math.log10(1 - share), histogram.percentile(100 * share) or low) for share in shares
        ]
        lines.append(plot.line(points, look(index)))
    return plot.drawn(*lines)


def _rate(logs: Mapping[int, IntervalLog]) -> Markup:
    """Return requests per second over time; an interval much shorter than the rest is left out."""
    series: dict[int, list[tuple[float, float]]] = {}
    for index, log in logs.items():
        begin = log.intervals[0].start_s
        longest = max(interval.length_s for interval in log.intervals)
        series[index] = [
            (
                interval.start_s - begin + interval.length_s / 2,
                interval.histogram.total / interval.length_s,
            )
            for interval in log.intervals
            if interval.length_s > longest / 2
        ]
    return _over_time(series, "Requests per second", "requests/s", least=1.0)


def _p99_points(logs: Mapping[int, IntervalLog]) -> dict[int, list[tuple[float, float]]]:
    """Return time in s and p99 in ms of every interval, without those much shorter than others."""
    series: dict[int, list[tuple[float, float]]] = {}
    begin = min(log.intervals[0].start_s for log in logs.values())
    for index, log in logs.items():
        longest = max(interval.length_s for interval in log.intervals)
        series[index] = [
            (interval.start_s - begin + interval.length_s / 2, p99_ns / _NS_PER_MS)
            for interval in log.intervals
            if interval.length_s > longest / 4
            and (p99_ns := interval.histogram.percentile(99)) is not None
        ]
    return series


def _over_time(
    series: Mapping[int, Sequence[tuple[float, float]]], title: str, unit: str, *, least: float
) -> Markup:
    """Return lines over time in s; the axis of values ends at ``least`` or above."""
    end = max([1.0, *(time_s for points in series.values() for time_s, _ in points)])
    top = max([least, *(value for points in series.values() for _, value in points)]) * 1.08
    plot = Plot(
        Axis(0, end, "s", round_ticks(end)),
        Axis(0, top, unit, round_ticks(top)),
        f"{title} over time",
    )
    return plot.drawn(
        *(plot.line(points, look(index)) for index, points in series.items() if points)
    )


def _cells(run: Series, histogram: Histogram | None) -> tuple[str, ...]:
    total = 0 if histogram is None else histogram.total
    values: list[float | None] = [None] * (1 + len(PERCENTS))
    if histogram is not None:
        values = [histogram.mean(), *map(histogram.percentile, PERCENTS)]
    times = ("n/a" if value is None else value_text(round(value), "ns") for value in values)
    return (run.name, f"{total:,}", *times)
