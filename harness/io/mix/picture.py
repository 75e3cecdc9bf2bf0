"""The heat maps of a mix as one picture, SVG or PNG."""

import math
from functools import partial
from typing import TYPE_CHECKING

from harness.cli.terminal import printable
from harness.io.mix.maps import heat_maps
from harness.io.mix.result import MixResult
from harness.page.heat_map import HeatMap
from harness.page.pictures import picture_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = 3
_MAP_INCHES = (5.0, 3.2)
_MASKED_COLOUR = "#e4e4e0"


def mix_picture(result: MixResult, file_format: str) -> bytes:
    """Return the picture; masked cells are grey."""
    maps = heat_maps(result)
    rows = max(1, math.ceil(len(maps) / _COLUMNS))
    size = (_COLUMNS * _MAP_INCHES[0], rows * _MAP_INCHES[1])
    title = f"{result.title}: {result.requests}, {result.source}"
    return picture_bytes(partial(_draw, title, maps), file_format, size)


def _draw(title: str, maps: tuple[HeatMap, ...], figure: "Figure") -> None:
    figure.suptitle(printable(title))
    rows = max(1, math.ceil(len(maps) / _COLUMNS))
    for index, heat_map in enumerate(maps):
        _draw_map(figure, figure.add_subplot(rows, _COLUMNS, index + 1), heat_map)


def _draw_map(figure: "Figure", axes: "Axes", heat_map: HeatMap) -> None:
    from matplotlib.colors import LogNorm  # noqa: PLC0415 - heavy

    axes.set_title(heat_map.title, fontsize=10)
    axes.set_facecolor(_MASKED_COLOUR)
    values = [value for value in heat_map.values if value > 0]
    cells = [
        [math.nan if cell.value is None or cell.value <= 0 else cell.value for cell in row]
        for row in heat_map.rows
    ]
    if values:
        # LogNorm needs two limits; a single value gets the first colour of the scale.
        norm = LogNorm(min(values), max(*values, 1.01 * min(values)))
        mesh = axes.pcolormesh(cells, norm=norm, cmap="cividis", edgecolors="white")
        figure.colorbar(mesh, ax=axes, label="ns" if heat_map.is_time else "bytes/s")
        for y, row in enumerate(cells):
            for x, value in enumerate(row):
                if not math.isnan(value):
                    colour = "white" if norm(value) < 0.55 else "black"
                    axes.text(x + 0.5, y + 0.5, heat_map.text(value), ha="center", va="center",
                              fontsize=6.5, color=colour)  # fmt: skip
    x_ticks = [index + 0.5 for index in range(len(heat_map.columns))]
    y_ticks = [index + 0.5 for index in range(len(heat_map.row_names))]
    axes.set_xticks(x_ticks, heat_map.columns)
    axes.set_yticks(y_ticks, heat_map.row_names)
    axes.tick_params(labelsize=7)
    axes.set_xlabel(heat_map.x_title, fontsize=8)
    axes.set_ylabel(heat_map.y_title, fontsize=8)
