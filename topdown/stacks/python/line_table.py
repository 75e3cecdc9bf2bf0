"""Lines of Python code objects: the location table of CPython 3.11 and later (co_linetable).

Its form is described in CPython's Objects/locations.md (3.11; InternalDocs/code_objects.md later):
entries of one head byte (its highest bit set, four bits of kind, three of length) and what the
kind asks for, each for one to eight code units of two bytes.
"""

from bisect import bisect_right
from dataclasses import dataclass

_CODE_UNIT_BYTES = 2
_HEAD = 0x80
_ONE_LINE, _NO_COLUMNS, _LONG, _NO_LOCATION = 10, 13, 14, 15
_SHORT_BYTES, _ONE_LINE_BYTES = 1, 2
_LINE_AT_MOST = 1 << 31  # a line number of CPython's is an int


@dataclass(frozen=True, slots=True)
class LineTable:
    """Ascending byte offsets of instructions, and the line from each on; None: of no line."""

    starts: tuple[int, ...]
    lines: tuple[int | None, ...]

    def line_at(self, offset: int) -> int | None:
        """Return the line of the instruction at a byte offset, None where the table has none."""
        at = bisect_right(self.starts, offset) - 1
        return self.lines[at] if at >= 0 else None


def decode_lines(table: bytes, first_line: int) -> LineTable:
    """Return the lines of a code object; of a damaged table as many as make sense."""
    starts: list[int] = []
    lines: list[int | None] = []
    offset, line, at = 0, first_line, 0
    while at < len(table) and table[at] & _HEAD:
        kind, units = (table[at] >> 3) & 15, (table[at] & 7) + 1
        delta, end = _line_delta(table, at + 1, kind)
        line += delta
        if end > len(table) or not -_LINE_AT_MOST < line < _LINE_AT_MOST:
            break
        starts.append(offset)
        lines.append(None if kind == _NO_LOCATION else line)
        offset += units * _CODE_UNIT_BYTES
        at = end
    starts.append(offset)
    lines.append(None)
    return LineTable(tuple(starts), tuple(lines))


def _line_delta(table: bytes, at: int, kind: int) -> tuple[int, int]:
    """Return by how much an entry moves the line, and where it ends."""
    if kind < _ONE_LINE:
        return 0, at + _SHORT_BYTES
    if kind < _NO_COLUMNS:
        return kind - _ONE_LINE, at + _ONE_LINE_BYTES
    if kind == _NO_LOCATION:
        return 0, at
    coded, at = _number(table, at)
    if kind == _LONG:
        for _ in range(3):  # the end's line, and both columns
            _, at = _number(table, at)
    return (-(coded >> 1) if coded & 1 else coded >> 1), at


def _number(table: bytes, at: int) -> tuple[int, int]:
    """Return a number of six bits a byte, lowest first, and where it ends."""
    value = shift = 0
    while at < len(table):
        byte = table[at]
        at += 1
        value |= (byte & 0x3F) << shift
        shift += 6
        if not byte & 0x40:
            return value, at
    return value, at + 1
