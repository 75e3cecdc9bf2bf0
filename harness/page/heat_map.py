"""A heat map for a page, as SVG without a script; the colour is the logarithm of a value."""

import math

from markupsafe import Markup
from msgspec import Struct

from harness.page.document import fragment
from stallscope.quantities import size_text, value_text

_CELL_WIDTH, _CELL_HEIGHT, _LEFT, _TOP, _BOTTOM = 78, 30, 80, 6, 44
# Points of cividis: even in lightness, and distinguishable by colour-blind readers.
_COLOURS = ((0, 34, 78), (65, 77, 107), (124, 123, 120), (188, 175, 111), (254, 232, 56))


class HeatMapCell(Struct, frozen=True):
    """A cell: a value, or the reason why it is masked; blank if no value is possible."""

    value: float | None
    reason: str
    is_blank: bool = False


class HeatMap(Struct, frozen=True):
    """A heat map of times in ns or bytes per second; the first of ``rows`` is at the bottom."""

    title: str
    x_title: str
    y_title: str
    columns: tuple[str, ...]
    row_names: tuple[str, ...]
    rows: tuple[tuple[HeatMapCell, ...], ...]
    is_time: bool

    def text(self, value: float) -> str:
        """Return a value with its unit."""
        return value_text(round(value), "ns") if self.is_time else f"{size_text(round(value))}/s"

    @property
    def values(self) -> list[float]:
        """Return the values of all cells that have one."""
        return [cell.value for row in self.rows for cell in row if cell.value is not None]


def render_heat_map(heat_map: HeatMap) -> Markup:
    """Return the markup; a masked cell is grey and shows its reason as a tooltip."""
    height = _TOP + _CELL_HEIGHT * len(heat_map.rows) + _BOTTOM
    values = heat_map.values
    log_range = None
    if values and min(values) > 0:
        log_range = (math.log(min(values)), math.log(max(values)))
    return fragment(
        "harness.page/heat_map.html",
        title=heat_map.title,
        x_title=heat_map.x_title,
        y_title=heat_map.y_title,
        columns=heat_map.columns,
        rows=tuple(reversed(heat_map.row_names)),
        cells=[
            {"x": _LEFT + _CELL_WIDTH * column, "y": _TOP + _CELL_HEIGHT * row}
            | _look(heat_map, cell, log_range)
            for row, cells in enumerate(reversed(heat_map.rows))
            for column, cell in enumerate(cells)
            if not cell.is_blank
        ],
        width=_LEFT + _CELL_WIDTH * len(heat_map.columns) + 6,
        height=height,
        base=height - _BOTTOM,
        left=_LEFT,
        top=_TOP,
        cell_width=_CELL_WIDTH,
        cell_height=_CELL_HEIGHT,
    )


def _look(
    heat_map: HeatMap, cell: HeatMapCell, log_range: tuple[float, float] | None
) -> dict[str, str]:
    """Return text and colours of a cell; a masked cell has no fill."""
    if cell.value is None or log_range is None:
        return {"text": cell.reason, "fill": ""}
    low, high = log_range
    share = (math.log(cell.value) - low) / (high - low) if high > low else 0.5
    text_colour = "#ffffff" if share < 0.55 else "#111111"
    return {"text": heat_map.text(cell.value), "fill": colour_of(share), "text_colour": text_colour}


def colour_of(share: float) -> str:
    """Return the colour of a place, 0..1, on the scale."""
    steps = len(_COLOURS) - 1
    step = min(int(share * steps), steps - 1)
    fraction = share * steps - step
    mixed = [
        round(low + (high - low) * fraction)
        for low, high in zip(_COLOURS[step], _COLOURS[step + 1], strict=True)
    ]
    return "#" + "".join(f"{value:02x}" for value in mixed)
