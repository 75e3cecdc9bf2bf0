"""Tables for terminals of any width: columns that can be spared go where there is no room."""

from collections.abc import Sequence

from harness.cstates.show.text import columns


def fitting_rows(cells: Sequence[Sequence[str]], room: int, spared: Sequence[str]) -> list[str]:
    """Return the lines of a table, its heads first, without trailing spaces.

    While a line is wider than ``room`` the next of the columns ``spared``, named by their heads
    (of equal ones the first), is left out. Words are never cut: a table may stay wider.
    """
    rows = [list(row) for row in cells]
    made = _lines(rows)
    for name in spared:
        if max(map(len, made)) <= room:
            break
        place = rows[0].index(name)
        for row in rows:
            del row[place]
        made = _lines(rows)
    return made


def _lines(rows: Sequence[Sequence[str]]) -> list[str]:
    return [line.rstrip() for line in columns(rows)]
