"""Text tables with cells that span columns, laid out as benchstat does.

Body cells stand in columns of equal width; the cells of the head span several of them. All widths
are in characters.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_ROWS_AT_ONCE = 4096  # bounds the memory of padded cells
LEFT, CENTER, RIGHT = "left", "center", "right"


@dataclass(frozen=True, slots=True)
class HeadCell:
    """A cell of the head: the first column, the number of columns, and its text."""

    column: int
    count: int
    text: str
    margin: str
    align: str = LEFT


@dataclass
class Column:
    """A body column: one text per row, empty if the cell is empty."""

    texts: Sequence[str]
    align: str = RIGHT
    margin: str = " "
    fixed: bool = False  # cells that span it do not widen it


@dataclass
class Layout:
    """A table: rows of spans above a body of columns."""

    columns: list[Column]
    head: list[list[HeadCell]] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """Yield the lines, without trailing spaces in the body."""
        margins = self._margins()
        widths = [
            max(map(len, column.texts), default=0) + margin if any(column.texts) else margin
            for column, margin in zip(self.columns, margins, strict=True)
        ]
        for row in self.head:
            for span in row:
                if span.count == 1:
                    needed = len(span.text) + margins[span.column]
                    widths[span.column] = max(widths[span.column], needed)
        spans = sorted((s for row in self.head for s in row if s.count > 1), key=lambda s: s.count)
        for span in spans:
            self._widen(widths, span, margins[span.column])
        offsets = [0]
        for width in widths:
            offsets.append(offsets[-1] + width)
        for row in self.head:
            yield _head_line(row, offsets, margins)
        for begin in range(0, len(self.columns[0].texts), _ROWS_AT_ONCE):
            yield from self._body(widths, margins, slice(begin, begin + _ROWS_AT_ONCE))

    def _margins(self) -> list[int]:
        margins = [len(column.margin) if any(column.texts) else 0 for column in self.columns]
        for row in self.head:
            for span in row:
                margins[span.column] = max(margins[span.column], len(span.margin))
        return margins

    def _widen(self, widths: list[int], span: HeadCell, margin: int) -> None:
        """Widen the columns of a span to their common average, the widest first."""
        needed = len(span.text) + margin
        inside = range(span.column, span.column + span.count)
        if sum(widths[column] for column in inside) >= needed:
            return
        growing = []
        for column in inside:
            if self.columns[column].fixed:
                needed -= widths[column]
            else:
                growing.append(column)
        growing.sort(key=lambda column: -widths[column])
        for place, column in enumerate(growing):
            remaining = len(growing) - place
            average = _ceiling_division(needed, remaining)
            widths[column] = max(widths[column], average)
            needed -= widths[column]

    def _body(self, widths: list[int], margins: list[int], rows: slice) -> Iterator[str]:
        padded = []
        for column, width, margin in zip(self.columns, widths, margins, strict=True):
            if width == 0:
                continue
            texts = column.texts[rows]
            start = column.margin.rjust(margin)
            room = width - margin
            blank = " " * width
            if column.align == RIGHT:
                padded.append([start + t.rjust(room) if t else blank for t in texts])
            else:
                padded.append([start + t.ljust(room) if t else blank for t in texts])
        for cells in zip(*padded, strict=True):
            yield "".join(cells).rstrip(" ")


def _ceiling_division(value: int, divisor: int) -> int:
    """Return (value + divisor - 1) / divisor, truncated towards zero."""
    return int((value + divisor - 1) / divisor)


def _head_line(row: Sequence[HeadCell], offsets: Sequence[int], margins: Sequence[int]) -> str:
    line = ""
    position = 0
    for span in row:
        if not span.text.strip() and not span.margin.strip():
            continue
        margin = margins[span.column]
        spaces = offsets[span.column] - position
        # A text that is too long pushes the next cell away, by as much as it is too long.
        line += " " * abs(spaces) + span.margin.rjust(margin)
        position += spaces + margin
        room = offsets[span.column + span.count] - offsets[span.column] - margin
        text = span.text
        if span.align == CENTER:
            text = " " * abs(int((room - len(text)) / 2)) + text
        elif span.align == RIGHT:
            text = text.rjust(room)
        line += text
        position += len(text)
    return line
