"""Tables for a terminal of any width: columns are aligned, and optional ones are left out."""

import io
from collections.abc import Sequence


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines of aligned columns: the first to the left, all others to the right.

    Wide characters count as two columns. No cell is cut or wrapped.
    """
    from rich.console import Console  # noqa: PLC0415 - only if there is a table to print
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for column in range(len(rows[0])):
        justify = "left" if column == 0 else "right"
        table.add_column(justify=justify, no_wrap=True, overflow="crop")  # type: ignore[arg-type]
    for row in rows:
        table.add_row(*map(Text, row))
    output = io.StringIO()
    Console(file=output, width=10_000, color_system=None).print(table)
    return [line.rstrip() for line in output.getvalue().splitlines()]


def fitting_rows(rows: Sequence[Sequence[str]], width: int, optional: Sequence[str]) -> list[str]:
    """Return the lines of a table whose first row is its heads.

    While a line is wider than ``width``, the next of the ``optional`` columns, named by their
    heads (the first of equal ones), is left out. No cell is cut: a table may stay wider.
    """
    from rich.cells import cell_len  # noqa: PLC0415

    remaining = [list(row) for row in rows]
    lines = columns(remaining)
    for head in optional:
        if max(map(cell_len, lines)) <= width:
            break
        column = remaining[0].index(head)
        for row in remaining:
            del row[column]
        lines = columns(remaining)
    return lines
