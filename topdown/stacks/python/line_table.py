"""Lines of Python code objects: the location table of CPython 3.11 and later (co_linetable).

The format is described in CPython's Objects/locations.md (3.11) or InternalDocs/code_objects.md.
An entry has a head byte (highest bit set, four bits of kind, three bits of length) and the operands
of its kind; it covers one to eight code units of two bytes.
"""

from bisect import bisect_right
from dataclasses import dataclass

_CODE_UNIT_BYTES = 2
_HEAD = 0x80
_ONE_LINE, _NO_COLUMNS, _LONG, _NO_LOCATION = 10, 13, 14, 15
_SHORT_BYTES, _ONE_LINE_BYTES = 1, 2
_MAX_LINE = 1 << 31  # line numbers are a C int in CPython


@dataclass(frozen=True, slots=True)
class LineTable:
    """Ascending byte offsets of instructions, and the line that starts there; None: no line."""

    starts: tuple[int, ...]
    lines: tuple[int | None, ...]

    def line_at(self, offset: int) -> int | None:
        """Return the line of the instruction at a byte offset, None if it has no line."""
        position = bisect_right(self.starts, offset) - 1
        return self.lines[position] if position >= 0 else None


def decode_lines(table: bytes, first_line: int) -> LineTable:
    """Return the lines of a code object; from a damaged table the valid prefix."""
    starts: list[int] = []
    lines: list[int | None] = []
    offset, line, position = 0, first_line, 0
    while position < len(table) and table[position] & _HEAD:
        kind, units = (table[position] >> 3) & 15, (table[position] & 7) + 1
        delta, end = _line_delta(table, position + 1, kind)
        line += delta
        if end > len(table) or not -_MAX_LINE < line < _MAX_LINE:
            break
        starts.append(offset)
        lines.append(None if kind == _NO_LOCATION else line)
        offset += units * _CODE_UNIT_BYTES
        position = end
    starts.append(offset)
    lines.append(None)
    return LineTable(tuple(starts), tuple(lines))


def _line_delta(table: bytes, position: int, kind: int) -> tuple[int, int]:
    """Return the line delta of an entry, and its end."""
    if kind < _ONE_LINE:
        return 0, position + _SHORT_BYTES
    if kind < _NO_COLUMNS:
        return kind - _ONE_LINE, position + _ONE_LINE_BYTES
    if kind == _NO_LOCATION:
        return 0, position
    coded, position = _number(table, position)
    if kind == _LONG:
        for _ in range(3):  # end line and both columns
            _, position = _number(table, position)
    return (-(coded >> 1) if coded & 1 else coded >> 1), position


def _number(table: bytes, position: int) -> tuple[int, int]:
    """Return a number of six bits per byte, lowest first, and its end."""
    value = shift = 0
    while position < len(table):
        byte = table[position]
        position += 1
        value |= (byte & 0x3F) << shift
        shift += 6
        if not byte & 0x40:
            return value, position
    return value, position + 1
