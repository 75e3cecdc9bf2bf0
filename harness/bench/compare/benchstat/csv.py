"""benchstat's CSV: tables on standard output, warnings with cell names on standard error."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from harness.bench.compare.benchstat.numbers import go_shortest, signed_percent
from harness.bench.compare.benchstat.summaries import Summaries, Thresholds, compare_column
from harness.bench.compare.benchstat.text import changed_keys, exact_cells
from harness.bench.compare.benchstat.totals import LABEL, column_total
from stallscope.benchmark_text.grid import ABSENT, Grid, GridTable
from stallscope.benchmark_text.units import Metadata, is_exact

_LETTERS = 26


@dataclass
class CsvText:
    """The lines of the tables, and the warnings."""

    lines: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def add(self, cells: Sequence[str]) -> None:
        """Append a line of cells."""
        self.lines.append(",".join(map(_quoted, cells)))

    def warn(self, place: int, texts: Sequence[str]) -> None:
        """Append warnings on the next line's cell at a position, with the name of the cell."""
        self.warnings += [f"{_column_name(place)}{len(self.lines) + 1}: {text}" for text in texts]


def csv_text(grid: Grid, metadata: Metadata, limits: Thresholds) -> CsvText:
    """Return all tables as CSV."""
    output = CsvText()
    exact = exact_cells(grid, metadata, len(grid.samples.sizes()))
    summaries = Summaries(grid, exact, limits)
    before: tuple[str, ...] | None = None
    for number, table in enumerate(grid.tables):
        if number:
            output.lines.append("")
        key = grid.table_keys.values[table.key]
        for line in changed_keys(grid, key, before):
            output.add([line])
        before = key
        _add_table(output, grid, summaries, table, limits, exact=is_exact(table.unit, metadata))
    return output


def _start(place: int) -> int:
    return 1 if place == 0 else 3 + (place - 1) * 4


def _add_table(
    output: CsvText,
    grid: Grid,
    summaries: Summaries,
    table: GridTable,
    limits: Thresholds,
    *,
    exact: bool,
) -> None:
    count = len(table.columns)
    keys = [grid.column_keys.values[column] for column in table.columns.tolist()]
    for level in range(len(grid.column_keys.fields)):
        row: list[str] = []
        for place, key in enumerate(keys):
            _fill(row, _start(place))
            row.append(key[level])
        _fill(row, _start(count))
        output.add(row)
    head: list[str] = []
    for place in range(count):
        _fill(head, _start(place))
        head += [table.unit, "CI", *(["vs base", "P"] if place else [])]
    output.add(head)
    for row in _rows(output, grid, summaries, table, limits, exact=exact):
        output.add(row)
    output.add(_total_row(output, summaries, table))


def _rows(
    output: CsvText,
    grid: Grid,
    summaries: Summaries,
    table: GridTable,
    limits: Thresholds,
    *,
    exact: bool,
) -> Iterator[list[str]]:
    count = len(table.columns)
    compared = [
        None if place == 0 else compare_column(summaries, table, place, limits, exact=exact)
        for place in range(count)
    ]
    ranges = [summaries.ranges(table.cells[:, place]) for place in range(count)]
    for number, (key, cells) in enumerate(
        zip(table.rows.tolist(), table.cells.tolist(), strict=True)
    ):
        row = [grid.row_keys.label(key)]
        for place, cell in enumerate(cells):
            if cell == ABSENT:
                continue
            _fill(row, _start(place))
            output.warn(len(row), summaries.warnings_of(cell))
            row += [go_shortest(float(summaries.centers[cell])), ranges[place][number]]
            comparison = compared[place]
            if comparison is not None and comparison.tests[number]:
                warning = comparison.warnings[number]
                output.warn(len(row), [warning] if warning else [])
                row += [comparison.deltas[number], comparison.tests[number][1:-1]]
        yield row


def _total_row(output: CsvText, summaries: Summaries, table: GridTable) -> list[str]:
    row = [LABEL]
    for place in range(len(table.columns)):
        total = column_total(summaries, table, place)
        _fill(row, _start(place))
        output.warn(len(row), total.warnings)
        if total.center is not None:
            row.append(go_shortest(total.center))
        if place:
            _fill(row, _start(place) + 2)
            row.append("?" if total.ratio is None else signed_percent(total.ratio))
    _fill(row, _start(len(table.columns)))
    return row


def _fill(row: list[str], size: int) -> None:
    row += [""] * (size - len(row))


def _quoted(cell: str) -> str:
    """Return a cell, in quotation marks if it contains a special character."""
    if cell == "\\." or any(c in cell for c in ',"\r\n') or cell[:1].isspace():
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _column_name(place: int) -> str:
    """Return the name of a column as benchstat writes it: A, B, ... Z, BA, BB."""
    name = ""
    while place > 0:
        name = chr(ord("A") + place % _LETTERS) + name
        place //= _LETTERS
    return name or "A"
