"""The distribution of samples: cumulative shares above, every value below."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from harness.bench.plots.samples import PlotSample
from harness.cli.terminal import printable
from harness.page.axes import finish_axes, look, mark_not_measured
from harness.page.pictures import picture_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH_INCHES = 9.0
_SPREAD = 0.6  # of a sample's points across its row
_GOLDEN = 0.6180339887498949
_MAX_POINTS = 5_000  # per sample; beyond that points are drawn as an image


def distribution_picture(
    samples: Sequence[PlotSample], unit: str, file_format: str, *, title: str = ""
) -> bytes:
    """Return the picture as SVG or PNG; ``unit`` names the values, such as "wall time, s"."""
    size = (_WIDTH_INCHES, 4.0 + 0.45 * max(2, len(samples)))
    return picture_bytes(partial(_draw, samples, unit, title), file_format, size)


def _draw(samples: Sequence[PlotSample], unit: str, title: str, figure: "Figure") -> None:
    figure.suptitle(printable(title), fontsize=11)
    rows = max(2, len(samples))
    shares, points = figure.subplots(2, 1, sharex=True, height_ratios=(6, rows))
    for number, sample in enumerate(samples):
        values = np.sort(sample.finite())
        if values.size:
            colour, dash, _ = look(number)
            name = f"{printable(sample.name)} (n = {values.size})"
            shares.ecdf(values, color=colour, linestyle=dash, label=name)
    shares.set_ylabel("share of runs")
    finish_axes(shares)
    _draw_points(points, samples)
    points.set_xlabel(printable(unit))


def _draw_points(axes: "Axes", samples: Sequence[PlotSample]) -> None:
    """Draw each value in the row of its sample; a golden-ratio sequence keeps them apart."""
    if not any(sample.finite().size for sample in samples):
        mark_not_measured(axes)
    for number, sample in enumerate(samples):
        values = sample.finite()
        colour, _, mark = look(number)
        offsets = _SPREAD * ((np.arange(values.size) * _GOLDEN) % 1 - 0.5)
        axes.plot(
            values, number + offsets, mark, color=colour, markersize=3, alpha=0.6,
            linestyle="none", rasterized=values.size > _MAX_POINTS,
        )  # fmt: skip
        if values.size:
            middle = [float(np.median(values))] * 2
            axes.plot(middle, [number - 0.4, number + 0.4], color="#222222", linewidth=1.5)
    axes.set_yticks(range(len(samples)), [printable(sample.name) for sample in samples])
    axes.set_ylim(max(len(samples), 1) - 0.5, -0.5)
    axes.grid(visible=True, axis="x", alpha=0.3)
