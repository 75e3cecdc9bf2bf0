"""A load as a picture: the distribution of latency, and latency by percentile."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from harness.cli.terminal import printable
from harness.load.recording import LoadRecording
from harness.load.text import heading, rate_text
from harness.page.axes import draw_percentiles, finish_axes, look, show_percentiles
from harness.page.pictures import picture_bytes
from stallscope.histograms import Histogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE_INCHES = (9.0, 7.5)
_BINS = 80
_NS_PER_MS = 1e6
_LABELS = {
    "latency": "latency, from the intended start",
    "service": "service time, from sending",
}


def load_picture(recording: LoadRecording, file_format: str) -> bytes:
    """Return the picture as SVG or PNG."""
    return picture_bytes(partial(_draw, recording), file_format, _SIZE_INCHES)


def _draw(recording: LoadRecording, figure: "Figure") -> None:
    result = recording.result
    rate = f"achieved {rate_text(result.achieved_rate_per_s)}"
    figure.suptitle(printable(f"{heading(result)}\n{rate} (measured)"), fontsize=11)
    distribution, percentiles = figure.subplots(2, 1)
    distribution.set_ylabel("% of requests")
    distribution.set_xlabel("latency, ms")
    percentiles.set_ylabel("latency, ms")
    drawn = [
        _draw_log(distribution, percentiles, histogram, number)
        for number, name in enumerate(_LABELS)
        if (histogram := recording.logs[name].merged()) is not None and histogram.total
    ]
    if drawn:
        distribution.set_xscale("log")
        show_percentiles(percentiles)
    for axes in (distribution, percentiles):
        finish_axes(axes)


def _draw_log(distribution: "Axes", percentiles: "Axes", histogram: Histogram, number: int) -> int:
    colour, dash, _ = look(number)
    label = tuple(_LABELS.values())[number]
    low = max(1.0, histogram.percentile(0) or 1.0)
    high = max(histogram.largest() or 1.0, 1.01 * low)
    edges = np.geomspace(low, high, _BINS + 1)
    lower, upper = histogram.geometry.bounds(np.arange(len(histogram.counts)))
    counts, _ = np.histogram((lower + upper) / 2, bins=edges, weights=histogram.counts)
    distribution.stairs(
        100 * counts / histogram.total, edges / _NS_PER_MS, color=colour, linestyle=dash,
        label=label,
    )  # fmt: skip
    draw_percentiles(percentiles, histogram, label, number=number, scale=1 / _NS_PER_MS)
    return number
