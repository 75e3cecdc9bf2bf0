"""Values in the order of the runs: shows drift, warm-up and neighbours."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from harness.bench.plots.samples import PlotSample
from harness.cli.terminal import printable
from harness.page.axes import finish_axes, look
from harness.page.pictures import picture_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIZE_INCHES = (9.0, 4.0)
_WINDOW = 7  # runs of the moving median
_MAX_POINTS = 5_000


def run_order_picture(
    samples: Sequence[PlotSample],
    unit: str,
    file_format: str,
    *,
    title: str = "",
    warmup: int = 0,
) -> bytes:
    """Return the picture as SVG or PNG.

    A line is the moving median. The first ``warmup`` runs of all, which the result leaves out, are
    in a grey band.
    """
    return picture_bytes(partial(_draw, samples, unit, title, warmup), file_format, _SIZE_INCHES)


def _draw(
    samples: Sequence[PlotSample], unit: str, title: str, warmup: int, figure: "Figure"
) -> None:
    figure.suptitle(printable(title), fontsize=11)
    axes = figure.subplots()
    if warmup:
        axes.axvspan(0.5, warmup + 0.5, color="#999999", alpha=0.25, linewidth=0)
    for number, sample in enumerate(samples):
        values = np.asarray(sample.values, dtype=float)
        known = np.isfinite(values)
        if not known.any():
            continue
        places = sample.places()[known]
        order = np.argsort(places, kind="stable")
        places, values = places[order], values[known][order]
        colour, dash, mark = look(number)
        axes.plot(
            places, values, mark, color=colour, markersize=4, alpha=0.6, linestyle="none",
            label=printable(sample.name), rasterized=values.size > _MAX_POINTS,
        )  # fmt: skip
        if values.size >= _WINDOW:
            windows = np.lib.stride_tricks.sliding_window_view(values, _WINDOW)
            half = _WINDOW // 2
            axes.plot(places[half:-half], np.median(windows, axis=1), dash, color=colour)
    axes.set_xlabel("run, in order")
    axes.set_ylabel(printable(unit))
    finish_axes(axes)
