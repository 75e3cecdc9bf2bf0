"""Percentile curves: the latency of several runs by percentile."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from harness.cli.terminal import printable
from harness.page.axes import draw_percentiles, finish_axes, show_percentiles
from harness.page.pictures import picture_bytes
from stallscope.histograms import Histogram

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIZE_INCHES = (9.0, 4.5)
_NS_PER_MS = 1e6


def percentile_picture(
    histograms: Mapping[str, Histogram | None], file_format: str, *, title: str = ""
) -> bytes:
    """Return the picture as SVG or PNG; histograms of ns by name, None without a measurement."""
    return picture_bytes(partial(_draw, histograms, title), file_format, _SIZE_INCHES)


def _draw(histograms: Mapping[str, Histogram | None], title: str, figure: "Figure") -> None:
    figure.suptitle(printable(title), fontsize=11)
    axes = figure.subplots()
    for number, (name, histogram) in enumerate(histograms.items()):
        if histogram is not None and histogram.total:
            label = f"{printable(name)} (n = {histogram.total:,})"
            draw_percentiles(axes, histogram, label, number=number, scale=1 / _NS_PER_MS)
    if axes.lines:
        show_percentiles(axes)
    axes.set_ylabel("latency, ms")
    finish_axes(axes)
