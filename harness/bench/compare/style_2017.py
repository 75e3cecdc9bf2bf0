"""`--style 2017`: tables in the form of the benchmark tool of 2017.

    name   old time/op  new time/op  delta
    Get    516us ± 8%   459us ± 0%   -11.00%  (p=0.016 n=5+4)

Values outside 1.5 interquartile ranges of the quartiles are dropped. The quartiles are those of
Hyndman and Fan's definition 8. Shown are the mean and the larger deviation of minimum and maximum.
The change is shown if p < 0.05 in the exact U test on the values that remain; n counts these.
"""

from collections.abc import Iterator

from harness.bench.compare.benchstat.layout import LEFT, RIGHT, Column, HeadCell, Layout
from harness.bench.matrix.summary import Kept, summary_text, without_outliers
from stallscope.benchmark_text.grid import ABSENT, Grid, GridTable
from stallscope.printable import printable
from stallscope.statistics.rank_tests import mann_whitney

ALPHA = 0.05
_METRICS = {"sec/op": "time/op", "B/s": "speed", "B/op": "alloc/op", "allocs/op": "allocs/op"}


def style_2017_lines(grid: Grid) -> Iterator[str]:
    """Yield the lines of all tables."""
    before: tuple[str, ...] | None = None
    for number, table in enumerate(grid.tables):
        if number:
            yield ""
        key = grid.table_keys.values[table.key][:-1]
        for place, name in enumerate(grid.table_keys.fields[:-1]):
            if key[place] and (before is None or before[place] != key[place]):
                yield printable(f"{name}:{key[place]}")
        before = key
        yield from _table_lines(grid, table)


def _table_lines(grid: Grid, table: GridTable) -> Iterator[str]:
    labels = [grid.column_keys.label(column) for column in table.columns.tolist()]
    samples = [
        [None if cell == ABSENT else _kept(grid, cell) for cell in row]
        for row in table.cells.tolist()
    ]
    metric = _METRICS.get(table.unit, table.unit)
    names = [printable(grid.row_keys.label(row)) for row in table.rows.tolist()]
    columns = [Column(names, LEFT, "")]
    head = [HeadCell(0, 1, "name", "")]
    for place, label in enumerate(labels):
        texts = [summary_text(row[place], table.unit) for row in samples]
        columns.append(Column(texts, RIGHT, "  "))
        head.append(HeadCell(place + 1, 1, printable(f"{label} {metric}"), "  "))
    if len(labels) == 2:
        changes = [_change(row[0], row[1]) for row in samples]
        columns.append(Column([change for change, _ in changes], RIGHT, "  "))
        columns.append(Column([test for _, test in changes], LEFT, "  "))
        head.append(HeadCell(3, 1, "delta", "  "))
    return Layout(columns, [head]).lines()


def _kept(grid: Grid, cell: int) -> Kept | None:
    kept = without_outliers(grid.samples.values(cell).tolist())
    return kept if kept.values else None


def _change(old: Kept | None, new: Kept | None) -> tuple[str, str]:
    if old is None or new is None:
        return "", ""
    test = mann_whitney(old.values, new.values)
    sizes = f"n={len(old.values)}+{len(new.values)}"
    if test is None or len({*old.values, *new.values}) == 1:
        return "~", "(all equal)"
    text = f"(p={test.p:.3f} {sizes})"
    if test.p >= ALPHA or old.mean == 0:
        return "~", text
    return f"{100 * (new.mean / old.mean - 1):+.2f}%", text
