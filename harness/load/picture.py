"""A load as a picture: the distribution of latency, and latency by percentile."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from harness.cli.terminal import printable
from harness.load.recording import LoadRecording
from harness.load.text import heading, rate_text
from harness.page.pictures import picture_bytes
from stallscope.histograms import Histogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE_INCHES = (9.0, 7.5)
_BINS = 80
_NS_PER_MS = 1e6
_STYLES = {
    "latency": ("#0072b2", "-", "latency, from the intended start"),
    "service": ("#d55e00", "--", "service time, from sending"),
}
_PERCENTS = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999)


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
    percentiles.set_xlabel("percentile")
    drawn = [
        _draw_log(distribution, percentiles, histogram, name)
        for name in _STYLES
        if (histogram := recording.logs[name].merged()) is not None and histogram.total
    ]
    for axes in (distribution, percentiles):
        if not drawn:
            axes.annotate("not measured", (0.5, 0.5), xycoords="axes fraction", ha="center")
            continue
        axes.grid(visible=True, which="major", alpha=0.3)
        axes.legend(fontsize=8)
    if drawn:
        distribution.set_xscale("log")
        percentiles.set_yscale("log")
        ticks = [-np.log10(1 - percent / 100) for percent in _PERCENTS]
        percentiles.set_xticks(ticks, [f"{percent:g}" for percent in _PERCENTS])


def _draw_log(distribution: "Axes", percentiles: "Axes", histogram: Histogram, name: str) -> str:
    colour, dash, label = _STYLES[name]
    low = max(1.0, histogram.percentile(0) or 1.0)
    high = max(histogram.largest() or 1.0, 1.01 * low)
    edges = np.geomspace(low, high, _BINS + 1)
    lower, upper = histogram.geometry.bounds(np.arange(len(histogram.counts)))
    counts, _ = np.histogram((lower + upper) / 2, bins=edges, weights=histogram.counts)
    distribution.stairs(
        100 * counts / histogram.total, edges / _NS_PER_MS, color=colour, linestyle=dash,
        label=label,
    )  # fmt: skip
    nines = np.linspace(0.0, 5.0, 101)
    shares = 1 - 10.0**-nines
    values = [histogram.percentile(100 * float(share)) or low for share in shares]
    percentiles.plot(nines, np.asarray(values) / _NS_PER_MS, dash, color=colour, label=label)
    return name
