"""What several pictures draw into a pair of matplotlib axes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from stallscope.histograms import Histogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours that stay apart for readers without red or green vision (Okabe and Ito, 2008); lines also
# differ by dash, points by mark.
COLOURS = ("#0072b2", "#d55e00", "#117733", "#cc79a7", "#222222", "#e69f00")
DASHES = ("-", "--", "-.", ":")
MARKS = ("o", "s", "^", "D", "v", "P")
_PERCENTS = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999)


def look(number: int) -> tuple[str, str, str]:
    """Return colour, dash and mark of the series with this number."""
    return (
        COLOURS[number % len(COLOURS)],
        DASHES[number % len(DASHES)],
        MARKS[number % len(MARKS)],
    )


def mark_not_measured(axes: "Axes", text: str = "not measured") -> None:
    """Write into empty axes why they are empty."""
    axes.annotate(text, (0.5, 0.5), xycoords="axes fraction", ha="center")


def finish_axes(axes: "Axes") -> None:
    """Draw the grid and the legend; without a labelled line, write that nothing was measured."""
    axes.grid(visible=True, which="major", alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8)
    else:
        mark_not_measured(axes)


def show_counts(axes: "Axes", counts: Sequence[float]) -> None:
    """Make the x axis one of counts, such as threads: binary logarithm, a tick per count."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(list(counts), [f"{count:g}" for count in counts])
    axes.minorticks_off()


def draw_percentiles(
    axes: "Axes", histogram: Histogram, label: str, *, number: int, scale: float = 1.0
) -> None:
    """Draw the values of a histogram, times ``scale``, by percentile up to 99.999.

    Percentiles are those of the merged histogram; they are never averaged.
    """
    colour, dash, _ = look(number)
    nines = np.linspace(0.0, 5.0, 101)
    low = max(1.0, histogram.percentile(0) or 1.0)
    values = [histogram.percentile(100 * float(share)) or low for share in 1 - 10.0**-nines]
    axes.plot(nines, np.asarray(values) * scale, dash, color=colour, label=label)


def show_percentiles(axes: "Axes") -> None:
    """Make the x axis one of percentiles with equal room for each nine, and y logarithmic."""
    axes.set_yscale("log")
    ticks = [-np.log10(1 - percent / 100) for percent in _PERCENTS]
    axes.set_xticks(ticks, [f"{percent:g}" for percent in _PERCENTS])
    axes.set_xlabel("percentile")
