"""A heat map for a page, as SVG without a script: a cell's colour by its value's logarithm."""

import math

from harness.io.mix.shown import CellShown, MapShown
from harness.page.document import escaped
from stallscope.printable import visible_text

_CELL_WIDTH, _CELL_HEIGHT, _LEFT, _TOP, _BOTTOM = 78, 30, 80, 6, 44
# From dark to light, even in lightness, told apart by the colour-blind: points of cividis.
_COLOURS = ((0, 34, 78), (65, 77, 107), (124, 123, 120), (188, 175, 111), (254, 232, 56))


def heat_map(shown: MapShown) -> str:
    """Return the map's markup; a masked cell is grey and says why when pointed at."""
    width = _LEFT + _CELL_WIDTH * len(shown.columns) + 6
    height = _TOP + _CELL_HEIGHT * len(shown.rows) + _BOTTOM
    head = (
        f'<svg class="plot heat" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'aria-label="{escaped(shown.title)}">'
    )
    parts = [head]
    values = shown.values
    span = (math.log(min(values)), math.log(max(values))) if values and min(values) > 0 else None
    for at, row in enumerate(reversed(shown.rows)):
        y = _TOP + _CELL_HEIGHT * at
        parts += [
            _cell(shown, cell, (_LEFT + _CELL_WIDTH * x, y), span) for x, cell in enumerate(row)
        ]
    parts += _names(shown, height)
    return "".join([*parts, "</svg>"])


def _cell(
    shown: MapShown, cell: CellShown, at: tuple[int, int], span: tuple[float, float] | None
) -> str:
    x, y = at
    middle = f'x="{x + _CELL_WIDTH / 2}" y="{y + _CELL_HEIGHT / 2 + 4}" text-anchor="middle"'
    box = f'x="{x}" y="{y}" width="{_CELL_WIDTH}" height="{_CELL_HEIGHT}"'
    if cell.is_blank:
        return ""
    if cell.value is None or span is None:
        why = escaped(visible_text(cell.why, 300))
        masked = f"<title>{why}</title><rect {box}/><text {middle}>\u2013</text>"
        return f'<g class="heat-masked">{masked}</g>'
    place = (math.log(cell.value) - span[0]) / (span[1] - span[0]) if span[1] > span[0] else 0.5
    ink = "#ffffff" if place < 0.55 else "#111111"
    text = escaped(shown.text(cell.value))
    return f'<g><rect {box} fill="{_colour(place)}"/><text {middle} fill="{ink}">{text}</text></g>'


def _colour(place: float) -> str:
    """Return the colour of a place, 0..1."""
    steps = len(_COLOURS) - 1
    at = min(int(place * steps), steps - 1)
    part = place * steps - at
    mixed = [
        round(low + (high - low) * part)
        for low, high in zip(_COLOURS[at], _COLOURS[at + 1], strict=True)
    ]
    return "#" + "".join(f"{value:02x}" for value in mixed)


def _names(shown: MapShown, height: int) -> list[str]:
    base = height - _BOTTOM
    parts = [
        f'<text class="plot-tick" text-anchor="middle" x="{_LEFT + _CELL_WIDTH * (x + 0.5)}" '
        f'y="{base + 15}">{escaped(name)}</text>'
        for x, name in enumerate(shown.columns)
    ]
    parts += [
        f'<text class="plot-tick" text-anchor="end" x="{_LEFT - 6}" '
        f'y="{_TOP + _CELL_HEIGHT * (y + 0.5) + 4}">{escaped(name)}</text>'
        for y, name in enumerate(reversed(shown.row_names))
    ]
    middle = _LEFT + _CELL_WIDTH * len(shown.columns) / 2
    parts.append(
        f'<text class="plot-title" text-anchor="middle" x="{middle}" y="{height - 8}">'
        f"{escaped(shown.across)}</text>"
    )
    parts.append(
        f'<text class="plot-title" text-anchor="middle" transform="translate(12 '
        f'{(_TOP + base) / 2}) rotate(-90)">{escaped(shown.up)}</text>'
    )
    return parts
