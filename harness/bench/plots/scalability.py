"""Scalability as a picture: throughput by count with the models' bands, and residuals."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from harness.cli.terminal import printable
from harness.page.axes import finish_axes, look, show_counts
from harness.page.pictures import picture_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE_INCHES = (9.0, 6.5)


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """Throughput at a count: the median and the range of its runs."""

    count: float
    throughput: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ModelCurve:
    """A fitted model: a curve, its 95 % band, and residuals at the measured points, in percent."""

    name: str
    counts: Sequence[float]
    throughput: Sequence[float]
    low: Sequence[float] = ()  # empty: no band
    high: Sequence[float] = ()
    residuals_percent: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class BoundLine:
    """A bound of throughput, such as linear growth or saturation."""

    name: str
    counts: Sequence[float]
    throughput: Sequence[float]


@dataclass(frozen=True, slots=True)
class Scalability:
    """What the picture shows; ``peak`` is the count of the largest throughput of a model."""

    points: Sequence[MeasuredPoint]
    curves: Sequence[ModelCurve] = ()
    bounds: Sequence[BoundLine] = ()
    count_label: str = "threads"
    throughput_label: str = "throughput"
    title: str = ""
    peak: float | None = None


def scalability_picture(data: Scalability, file_format: str) -> bytes:
    """Return the picture as SVG or PNG."""
    return picture_bytes(partial(_draw, data), file_format, _SIZE_INCHES)


def _draw(data: Scalability, figure: "Figure") -> None:
    figure.suptitle(printable(data.title), fontsize=11)
    residuals: Axes | None = None
    if any(curve.residuals_percent for curve in data.curves):
        throughput, residuals = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
        residuals.axhline(0, color="#222222", linewidth=0.8)
        residuals.set_ylabel("residual, %")
    else:
        throughput = figure.subplots()
    for number, curve in enumerate(data.curves):
        _draw_curve(throughput, residuals, curve, [point.count for point in data.points], number)
    for number, bound in enumerate(data.bounds):
        throughput.plot(
            bound.counts,
            bound.throughput,
            linestyle=(":", (0, (1, 3)))[number % 2],
            color="#555555",
            linewidth=1,
            label=printable(bound.name),
        )
    if data.points:
        _draw_points(throughput, data)
    elif data.curves:
        counts = sorted({count for curve in data.curves for count in curve.counts})
        throughput.set_ylim(0, 1.15 * max(max(curve.throughput) for curve in data.curves))
        show_counts(throughput, _labelled(counts))
    if data.peak is not None:
        throughput.axvline(data.peak, color="#777777", linestyle="--", linewidth=1)
    throughput.set_ylabel(printable(data.throughput_label))
    throughput.yaxis.set_major_formatter("{x:,.4g}")
    (throughput if residuals is None else residuals).set_xlabel(printable(data.count_label))
    for axes in (throughput, residuals):
        if axes is not None:
            finish_axes(axes)


def _draw_curve(
    throughput: "Axes",
    residuals: "Axes | None",
    curve: ModelCurve,
    counts: Sequence[float],
    number: int,
) -> None:
    colour, dash, mark = look(number)
    name = printable(curve.name)
    throughput.plot(curve.counts, curve.throughput, dash, color=colour, label=name)
    if curve.low:
        throughput.fill_between(
            curve.counts, curve.low, curve.high, color=colour, alpha=0.15, linewidth=0
        )
    if residuals is not None and curve.residuals_percent:
        residuals.plot(
            counts, curve.residuals_percent, mark, color=colour, markersize=4, label=name
        )


def _draw_points(axes: "Axes", data: Scalability) -> None:
    """Draw the measured points. The y axis covers points and curves, not the bounds."""
    points = data.points
    counts = [point.count for point in points]
    below = [max(0.0, point.throughput - point.low) for point in points]
    above = [max(0.0, point.high - point.throughput) for point in points]
    axes.errorbar(
        counts, [point.throughput for point in points], yerr=(below, above), fmt="o",
        color="#222222", markersize=5, capsize=2, label="median and range of the runs",
    )  # fmt: skip
    highest = [point.high for point in points] + [max(curve.throughput) for curve in data.curves]
    axes.set_ylim(0, 1.15 * max(highest))
    show_counts(axes, _labelled(counts))


def _labelled(counts: Sequence[float]) -> list[float]:
    """Return the counts that get a tick: each at least a third above the one before."""
    ticks: list[float] = []
    for count in sorted(counts):
        if not ticks or count >= 1.3 * ticks[-1]:
            ticks.append(count)
    return ticks
