"""A heat map for a page, as SVG without a script; the colour is the logarithm of a value."""

import math
from dataclasses import dataclass

from harness.page.document import escaped
from stallscope.printable import visible_text
from stallscope.quantities import size_text, value_text

_CELL_WIDTH, _CELL_HEIGHT, _LEFT, _TOP, _BOTTOM = 78, 30, 80, 6, 44
# Points of cividis: even in lightness, and distinguishable by colour-blind readers.
_COLOURS = ((0, 34, 78), (65, 77, 107), (124, 123, 120), (188, 175, 111), (254, 232, 56))


@dataclass(frozen=True, slots=True)
class HeatMapCell:
    """A cell: a value, or the reason why it is masked; blank if no value is possible."""

    value: float | None
    reason: str
    is_blank: bool = False


@dataclass(frozen=True, slots=True)
class HeatMap:
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


_LogRange = tuple[float, float] | None  # logarithms of the smallest and the largest value


def render_heat_map(heat_map: HeatMap) -> str:
    """Return the markup; a masked cell is grey and shows its reason as a tooltip."""
    width = _LEFT + _CELL_WIDTH * len(heat_map.columns) + 6
    height = _TOP + _CELL_HEIGHT * len(heat_map.rows) + _BOTTOM
    head = (
        f'<svg class="plot heat" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'aria-label="{escaped(heat_map.title)}">'
    )
    values = heat_map.values
    log_range = None
    if values and min(values) > 0:
        log_range = (math.log(min(values)), math.log(max(values)))
    cells = [
        _cell(heat_map, cell, (_LEFT + _CELL_WIDTH * column, _TOP + _CELL_HEIGHT * row), log_range)
        for row, cells_of_row in enumerate(reversed(heat_map.rows))
        for column, cell in enumerate(cells_of_row)
    ]
    return "".join([head, *cells, *_names(heat_map, height), "</svg>"])


def _cell(
    heat_map: HeatMap, cell: HeatMapCell, corner: tuple[int, int], log_range: _LogRange
) -> str:
    x, y = corner
    middle = f'x="{x + _CELL_WIDTH / 2}" y="{y + _CELL_HEIGHT / 2 + 4}" text-anchor="middle"'
    box = f'x="{x}" y="{y}" width="{_CELL_WIDTH}" height="{_CELL_HEIGHT}"'
    if cell.is_blank:
        return ""
    if cell.value is None or log_range is None:
        reason = escaped(visible_text(cell.reason, 300))
        masked = f"<title>{reason}</title><rect {box}/><text {middle}>\u2013</text>"
        return f'<g class="heat-masked">{masked}</g>'
    low, high = log_range
    place = (math.log(cell.value) - low) / (high - low) if high > low else 0.5
    text_colour = "#ffffff" if place < 0.55 else "#111111"
    text = escaped(heat_map.text(cell.value))
    fill = _colour(place)
    return f'<g><rect {box} fill="{fill}"/><text {middle} fill="{text_colour}">{text}</text></g>'


def _colour(place: float) -> str:
    """Return the colour of a place, 0..1, on the scale."""
    steps = len(_COLOURS) - 1
    step = min(int(place * steps), steps - 1)
    fraction = place * steps - step
    mixed = [
        round(low + (high - low) * fraction)
        for low, high in zip(_COLOURS[step], _COLOURS[step + 1], strict=True)
    ]
    return "#" + "".join(f"{value:02x}" for value in mixed)


def _names(heat_map: HeatMap, height: int) -> list[str]:
    base = height - _BOTTOM
    parts = [
        f'<text class="plot-tick" text-anchor="middle" x="{_LEFT + _CELL_WIDTH * (x + 0.5)}" '
        f'y="{base + 15}">{escaped(name)}</text>'
        for x, name in enumerate(heat_map.columns)
    ]
    parts += [
        f'<text class="plot-tick" text-anchor="end" x="{_LEFT - 6}" '
        f'y="{_TOP + _CELL_HEIGHT * (y + 0.5) + 4}">{escaped(name)}</text>'
        for y, name in enumerate(reversed(heat_map.row_names))
    ]
    middle = _LEFT + _CELL_WIDTH * len(heat_map.columns) / 2
    parts.append(
        f'<text class="plot-title" text-anchor="middle" x="{middle}" y="{height - 8}">'
        f"{escaped(heat_map.x_title)}</text>"
    )
    parts.append(
        f'<text class="plot-title" text-anchor="middle" transform="translate(12 '
        f'{(_TOP + base) / 2}) rotate(-90)">{escaped(heat_map.y_title)}</text>'
    )
    return parts
