"""A map of samples over time: a column per period, its rows are offsets within a second.

Work that repeats every second gives horizontal bands, a burst a bright column. The map is SVG
without a script: one path per level of colour.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from markupsafe import Markup
from msgspec import Struct

from harness.page.document import fragment
from harness.page.heat_map import colour_of

ROWS, MOST_COLUMNS, LEVELS = 40, 240, 8
_WIDTH, _ROW_HEIGHT, _LEFT, _TOP, _BOTTOM = 960, 5, 46, 6, 36
_WIDEST_COLUMN, _TICKS = 24, 8


class SubsecondMap(Struct, frozen=True):
    """Counts of samples, int64 (n_columns, ROWS); a column covers ``column_s`` seconds."""

    counts: npt.NDArray[np.int64]
    column_s: int
    marked: tuple[tuple[float, float], ...] = ()  # periods in seconds that are outlined


def subsecond_map(
    blocks_ns: Iterable[npt.NDArray[np.int64]],
    last_ns: int,
    marked: Sequence[tuple[float, float]] = (),
) -> SubsecondMap:
    """Return the map of samples at these times since the first one, up to that of the last one."""
    column_s = column_seconds(last_ns)
    columns = last_ns // (column_s * 1_000_000_000) + 1
    counts = np.zeros(columns * ROWS, np.int64)
    for time_ns in blocks_ns:
        column = time_ns // (column_s * 1_000_000_000)
        row = time_ns % 1_000_000_000 * ROWS // 1_000_000_000
        counts += np.bincount(column * ROWS + row, minlength=columns * ROWS)
    return SubsecondMap(counts.reshape(columns, ROWS), column_s, tuple(marked))


def column_seconds(last_ns: int) -> int:
    """Return the seconds that a column of a map up to this time covers."""
    return -(-(last_ns // 1_000_000_000 + 1) // MOST_COLUMNS)


def render_subsecond_map(shown: SubsecondMap) -> Markup:
    """Return the markup of the map."""
    columns = len(shown.counts)
    width = min(_WIDEST_COLUMN, _WIDTH / columns)
    height = _ROW_HEIGHT * ROWS
    return fragment(
        "harness.page/subsecond_map.html",
        paths=_paths(shown.counts, width),
        marks=[
            {
                "x": _LEFT + begin / shown.column_s * width,
                "width": (end - begin) / shown.column_s * width,
            }
            for begin, end in shown.marked
        ],
        ticks=_ticks(columns, shown.column_s, width),
        left=_LEFT,
        top=_TOP,
        map_width=width * columns,
        map_height=height,
        width=_LEFT + width * columns + 10,
        height=_TOP + height + _BOTTOM,
    )


def _paths(counts: npt.NDArray[np.int64], width: float) -> list[dict[str, str]]:
    """Return the path and the colour of each level; equal cells of a column are one rectangle."""
    most = max(1, int(counts.max(initial=0)))
    levels = np.ceil(counts * LEVELS / most).astype(np.int64)
    parts: dict[int, list[str]] = {}
    for column, cells in enumerate(levels.tolist()):
        first = 0
        for row in range(1, ROWS + 1):
            if row == ROWS or cells[row] != cells[first]:
                if cells[first]:
                    x, y = _LEFT + column * width, _TOP + (ROWS - row) * _ROW_HEIGHT
                    parts.setdefault(cells[first], []).append(
                        f"M{x:.5g} {y}h{width:.4g}v{(row - first) * _ROW_HEIGHT}h-{width:.4g}z"
                    )
                first = row
    return [
        {"d": "".join(rectangles), "fill": colour_of(level / LEVELS)}
        for level, rectangles in sorted(parts.items())
    ]


def _ticks(columns: int, column_s: int, width: float) -> list[dict[str, object]]:
    step = max(1, -(-columns // _TICKS))
    return [
        {"x": _LEFT + column * width, "text": f"{column * column_s} s"}
        for column in range(0, columns, step)
    ]
