"""Forest plot of a comparison: one row per benchmark, with the change and its interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from harness.cli.terminal import printable, shorten
from harness.page.axes import mark_not_measured
from harness.page.pictures import picture_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH_INCHES = 9.0
_MAX_ROWS = 200
_MAX_NAME = 48
_COLOURS = {"better": "#0072b2", "worse": "#d55e00", "unclear": "#777777"}
_MARKS = {"better": "v", "worse": "^", "unclear": "o"}


@dataclass(frozen=True, slots=True)
class ForestRow:
    """A row: the relative change (0.02: 2 % more) and its interval; None if it is not known.

    ``verdict`` is "better", "worse" or "unclear", which decides colour and mark.
    """

    name: str
    change: float | None
    low: float | None
    high: float | None
    verdict: str = "unclear"


def forest_picture(
    rows: Sequence[ForestRow],
    file_format: str,
    *,
    title: str = "",
    threshold: float | None = None,
) -> bytes:
    """Return the picture as SVG or PNG, of at most 200 rows, in the order of the rows.

    ``threshold``: a relative change, drawn as a dotted line on both sides of zero.
    """
    size = (_WIDTH_INCHES, 1.6 + 0.28 * max(3, min(len(rows), _MAX_ROWS)))
    return picture_bytes(partial(_draw, rows, title, threshold), file_format, size)


def _draw(rows: Sequence[ForestRow], title: str, threshold: float | None, figure: "Figure") -> None:
    omitted = len(rows) - _MAX_ROWS
    more = f" ({omitted} more rows are not drawn)" if omitted > 0 else ""
    figure.suptitle(printable(title) + more, fontsize=11)
    axes = figure.subplots()
    drawn = rows[:_MAX_ROWS]
    if not any(row.change is not None for row in drawn):
        mark_not_measured(axes)
    axes.axvline(0, color="#222222", linewidth=1)
    for side in () if threshold is None else (-threshold, threshold):
        axes.axvline(100 * side, color="#555555", linestyle=":", linewidth=1)
    for place, row in enumerate(drawn):
        if row.change is None:
            continue
        colour = _COLOURS.get(row.verdict, _COLOURS["unclear"])
        if row.low is not None and row.high is not None:
            axes.plot([100 * row.low, 100 * row.high], [place, place], color=colour)
        mark = _MARKS.get(row.verdict, _MARKS["unclear"])
        axes.plot([100 * row.change], [place], mark, color=colour, markersize=6)
    names = [shorten(printable(row.name), _MAX_NAME) for row in drawn]
    axes.set_yticks(range(len(drawn)), names, fontsize=8)
    axes.set_ylim(max(len(drawn), 1) - 0.5, -0.5)
    axes.set_xlabel("change, %")
    axes.grid(visible=True, axis="x", alpha=0.3)
