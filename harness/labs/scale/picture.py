"""A result of the scale lab as a picture: throughput by connections and by threads."""

from functools import partial
from typing import TYPE_CHECKING

from harness.cli.terminal import printable
from harness.labs.scale.options import ScaleAxis
from harness.labs.scale.result import LabScalePoint, LabScaleResult
from harness.page.axes import finish_axes, mark_not_measured, show_counts
from harness.page.pictures import picture_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE_INCHES = (10.0, 4.5)


def scale_picture(result: LabScaleResult, file_format: str) -> bytes:
    """Return the picture as SVG or PNG."""
    return picture_bytes(partial(_draw, result), file_format, _SIZE_INCHES)


def _draw(result: LabScaleResult, figure: "Figure") -> None:
    stages = "on" if result.stages else "off"
    title = f"Throughput of path {result.path}, stages {stages} ({result.machine.cpu_model})"
    figure.suptitle(printable(title), fontsize=11)
    for axes, axis in zip(figure.subplots(1, len(ScaleAxis)), ScaleAxis, strict=True):
        _draw_axis(axes, axis, result.axis_points(axis))


def _draw_axis(axes: "Axes", axis: ScaleAxis, points: list[LabScalePoint]) -> None:
    axes.set_xlabel(f"{axis} (hollow: shares the loader's CPU)")
    axes.set_ylabel("requests/s")
    if not points:
        mark_not_measured(axes)
        return
    n = [point.n for point in points]
    medians = [point.throughput_per_s for point in points]
    axes.plot(n, medians, color="#0072b2", label="median")
    axes.fill_between(
        n,
        [point.low_per_s for point in points],
        [point.high_per_s for point in points],
        color="#0072b2",
        alpha=0.2,
        linewidth=0,
        label="lowest to highest",
    )
    linear = [medians[0] * count / n[0] for count in n]
    axes.plot(n, linear, ":", color="#555555", label="linear")
    for point in points:
        face = "white" if point.shared_cpu else "#0072b2"
        axes.plot([point.n], [point.throughput_per_s], "o", color="#0072b2", markerfacecolor=face)
    show_counts(axes, n)
    axes.set_ylim(0, 1.15 * max(point.high_per_s for point in points))
    axes.yaxis.set_major_formatter("{x:,.0f}")
    finish_axes(axes)
