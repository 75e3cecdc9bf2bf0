"""A matrix's heat maps as one picture, SVG or PNG."""

import math
from functools import partial
from typing import TYPE_CHECKING

from harness.cli.terminal import printable
from harness.io.mix.shown import MapShown, MixShown
from harness.page.pictures import picture_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = 3
_MAP_INCHES = (5.0, 3.2)


def mix_picture(shown: MixShown, file_format: str) -> bytes:
    """Return the picture; cells that are masked stay grey."""
    rows = max(1, math.ceil(len(shown.maps) / _COLUMNS))
    size = (_COLUMNS * _MAP_INCHES[0], rows * _MAP_INCHES[1])
    return picture_bytes(partial(_draw, shown), file_format, size)


def _draw(shown: MixShown, figure: "Figure") -> None:
    figure.suptitle(printable(shown.title))
    rows = max(1, math.ceil(len(shown.maps) / _COLUMNS))
    for at, one in enumerate(shown.maps):
        _draw_map(figure, figure.add_subplot(rows, _COLUMNS, at + 1), one)


def _draw_map(figure: "Figure", axes: "Axes", one: MapShown) -> None:
    from matplotlib.colors import LogNorm  # noqa: PLC0415 - heavy

    axes.set_title(one.title, fontsize=10)
    axes.set_facecolor("#e4e4e0")
    values = [value for value in one.values if value > 0]
    cells = [
        [math.nan if cell.value is None or cell.value <= 0 else cell.value for cell in row]
        for row in one.rows
    ]
    if values:
        # LogNorm wants a span: an only value is drawn in the scale's first colour.
        norm = LogNorm(min(values), max(*values, 1.01 * min(values)))
        mesh = axes.pcolormesh(cells, norm=norm, cmap="cividis", edgecolors="white")
        figure.colorbar(mesh, ax=axes, label="ns" if one.is_time else "bytes/s")
        for y, row in enumerate(cells):
            for x, value in enumerate(row):
                if not math.isnan(value):
                    ink = "white" if norm(value) < 0.55 else "black"
                    axes.text(x + 0.5, y + 0.5, one.text(value), ha="center", va="center",
                              fontsize=6.5, color=ink)  # fmt: skip
    axes.set_xticks([place + 0.5 for place in range(len(one.columns))], one.columns)
    axes.set_yticks([place + 0.5 for place in range(len(one.row_names))], one.row_names)
    axes.tick_params(labelsize=7)
    axes.set_xlabel(one.across, fontsize=8)
    axes.set_ylabel(one.up, fontsize=8)
