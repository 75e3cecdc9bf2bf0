"""Requests per second by connections, a line per server."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from harness.cli.terminal import printable
from harness.page.axes import finish_axes, look, show_counts
from harness.page.pictures import picture_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIZE_INCHES = (9.0, 4.5)


@dataclass(frozen=True, slots=True)
class ThroughputLines:
    """Connections and requests per second of each line, in order of connections."""

    lines: Mapping[str, Sequence[tuple[int, float]]]
    title: str = ""


def throughput_picture(data: ThroughputLines, file_format: str) -> bytes:
    """Return the picture as SVG or PNG."""
    return picture_bytes(partial(_draw, data), file_format, _SIZE_INCHES)


def _draw(data: ThroughputLines, figure: "Figure") -> None:
    figure.suptitle(printable(data.title), fontsize=11)
    axes = figure.subplots()
    for number, (name, points) in enumerate(data.lines.items()):
        colour, dash, mark = look(number)
        counts = [count for count, _ in points]
        rates = [rate for _, rate in points]
        axes.plot(
            counts, rates, dash, marker=mark, color=colour, markersize=5, label=printable(name)
        )
    ticks = sorted({count for points in data.lines.values() for count, _ in points})
    if ticks:
        show_counts(axes, ticks)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylabel("requests/s")
    axes.set_xlabel("connections")
    finish_axes(axes)
