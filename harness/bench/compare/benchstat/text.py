"""benchstat's text tables."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from harness.bench.compare.benchstat.layout import CENTER, LEFT, RIGHT, Column, HeadCell, Layout
from harness.bench.compare.benchstat.numbers import signed_percent
from harness.bench.compare.benchstat.summaries import (
    Comparisons,
    Summaries,
    Thresholds,
    compare_column,
)
from harness.bench.compare.benchstat.totals import LABEL, Total, column_total
from stallscope.benchmark_text.grid import ABSENT, Grid, GridTable
from stallscope.benchmark_text.units import Metadata, ScaleTable, has_binary_prefixes, is_exact
from stallscope.printable import printable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_CENTER_COLUMNS = 3  # centre, interval, warnings
_DELTA_COLUMNS = 3  # change, test, warnings
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def exact_cells(grid: Grid, metadata: Metadata, count: int) -> "npt.NDArray[np.bool_]":
    """Return for each cell whether its unit is assumed to be exact."""
    import numpy as np  # noqa: PLC0415

    exact = np.zeros(count, dtype=bool)
    for table in grid.tables:
        if is_exact(table.unit, metadata):
            exact[table.cells[table.cells != ABSENT]] = True
    return exact


def text_lines(grid: Grid, metadata: Metadata, limits: Thresholds) -> Iterator[str]:
    """Yield the lines of all tables."""
    exact = exact_cells(grid, metadata, len(grid.samples.sizes()))
    summaries = Summaries(grid, exact, limits)
    before: tuple[str, ...] | None = None
    for number, table in enumerate(grid.tables):
        if number:
            yield ""
        key = grid.table_keys.values[table.key]
        yield from changed_keys(grid, key, before)
        before = key
        yield from _TableText(grid, summaries, table, metadata, limits).lines()


def changed_keys(grid: Grid, key: Sequence[str], before: Sequence[str] | None) -> Iterator[str]:
    """Yield ``name: value`` for each field of a table's key that differs from the table before."""
    for place, name in enumerate(grid.table_keys.fields[:-1]):
        if before is None or key[place] != before[place]:
            yield printable(f"{name}: ") + printable(key[place])


class _TableText:
    def __init__(
        self,
        grid: Grid,
        summaries: Summaries,
        table: GridTable,
        metadata: Metadata,
        limits: Thresholds,
    ) -> None:
        self._grid, self._summaries, self._table = grid, summaries, table
        self._exact = is_exact(table.unit, metadata)
        self._limits = limits
        self._footnotes: dict[str, str] = {}
        self._scales = ScaleTable(binary=has_binary_prefixes(table.unit))

    def lines(self) -> Iterator[str]:
        """Yield the lines of the table and its footnotes."""
        table = self._table
        count = len(table.columns)
        compared = [
            None
            if column == 0
            else compare_column(self._summaries, table, column, self._limits, exact=self._exact)
            for column in range(count)
        ]
        totals = [column_total(self._summaries, table, column) for column in range(count)]
        has_total = len(table.rows) > 1
        notes = self._notes(compared, totals if has_total else [])
        labels = [printable(self._grid.row_keys.label(row)) for row in table.rows.tolist()]
        body = [Column(labels + [LABEL] * has_total, LEFT, "")]
        centers = self._centers()
        for place in range(count):
            body += self._column(place, centers[place], compared[place], notes[place])
            if has_total:
                self._add_total(body, place, totals[place])
        empty = [""] * (len(labels) + has_total)
        edge = _start(count + 1)
        body += [Column(empty) for _ in range(edge + 1 - len(body))]
        yield from Layout(body, self._head(edge)).lines()
        for text, mark in self._footnotes.items():
            yield f"{mark} {text}"

    def _centers(self) -> list[list[str]]:
        """Return the centres of each column as text; a row has one scale."""
        import numpy as np  # noqa: PLC0415

        cells = self._table.cells
        values = np.where(cells == ABSENT, 0.0, self._summaries.centers[cells])
        sizes = np.abs(values)
        with np.errstate(invalid="ignore"):
            sizes = np.where(sizes == 0, np.inf, sizes)
        has_infinite = np.any(np.isinf(values), axis=1)
        smallest = np.fmin.reduce(sizes, axis=1)
        smallest[np.isinf(smallest) & ~has_infinite] = 0
        self._check_nan_order(values, smallest)
        scales = self._scales.scales
        rows = self._scales.indexes(smallest).tolist()
        formats = [f"%.{scale.digits}f{scale.prefix}" for scale in scales]
        texts = []
        for place in range(cells.shape[1]):
            column = []
            for cell, value, row in zip(
                cells[:, place].tolist(), values[:, place].tolist(), rows, strict=True
            ):
                if cell == ABSENT:
                    column.append("")
                elif value - value == 0:
                    column.append(formats[row] % (value / scales[row].divisor))
                else:
                    column.append(scales[row].text(value))
            texts.append(column)
        return texts

    def _check_nan_order(
        self, values: "npt.NDArray[np.float64]", smallest: "npt.NDArray[np.float64]"
    ) -> None:
        """Set the smallest value of rows with NaN, where the result depends on the order."""
        import numpy as np  # noqa: PLC0415

        for row in np.flatnonzero(np.isnan(values).any(axis=1)).tolist():
            lowest = 0.0
            for place, value in enumerate(values[row].tolist()):
                size = abs(value)
                if self._table.cells[row, place] == ABSENT or size == 0:
                    continue
                if lowest == 0 or size < lowest:
                    lowest = size
            smallest[row] = lowest

    def _notes(
        self, compared: Sequence[Comparisons | None], totals: Sequence[Total]
    ) -> list[tuple[list[str], list[str]]]:
        """Return footnote marks by column: those of the samples, and those of the comparisons."""
        table, summaries = self._table, self._summaries
        noted = [
            summaries.infinite[table.cells[:, place]].tolist()
            for place in range(len(table.columns))
        ]
        marks: list[tuple[list[str], list[str]]] = [([], []) for _ in table.columns]
        cells = table.cells.tolist()
        for row, row_cells in enumerate(cells):
            for place, cell in enumerate(row_cells):
                texts: tuple[str, ...] = ()
                if cell != ABSENT and (noted[place][row] or cell in summaries.warnings):
                    texts = summaries.warnings_of(cell)
                marks[place][0].append(self._marks(texts))
                comparison = compared[place]
                warning = comparison.warnings[row] if comparison is not None else ""
                marks[place][1].append(self._marks((warning,)) if warning else "")
        for place, total in enumerate(totals):
            text = self._marks(total.warnings)
            marks[place][0].append(text if place == 0 else "")
            marks[place][1].append(text if place else "")
        return marks

    def _marks(self, texts: Sequence[str]) -> str:
        if not texts:
            return ""
        for text in texts:
            if text not in self._footnotes:
                self._footnotes[text] = _superscript(len(self._footnotes) + 1)
        if len(texts) == 1:
            return self._footnotes[texts[0]]
        return " ".join(self._footnotes[text] for text in texts)

    def _column(
        self,
        place: int,
        centers: list[str],
        compared: Comparisons | None,
        notes: tuple[list[str], list[str]],
    ) -> list[Column]:
        ranges = self._summaries.ranges(self._table.cells[:, place])
        columns = [
            Column(centers, RIGHT, " "),
            Column(ranges, RIGHT, " ± ", fixed=True),
            Column(notes[0], LEFT, " ", fixed=True),
        ]
        if compared is not None:
            columns += [
                Column(compared.deltas, RIGHT, " ", fixed=True),
                Column(compared.tests, LEFT, " ", fixed=True),
                Column(notes[1], LEFT, " ", fixed=True),
            ]
        return columns

    def _add_total(self, body: list[Column], place: int, total: Total) -> None:
        start = _start(place)
        texts = [list(column.texts) for column in body[start:]]
        scale = None if total.center is None else self._scales.scale_of(total.center)
        texts[0].append("" if scale is None or total.center is None else scale.text(total.center))
        texts[1].append("")
        if place:
            # An unknown ratio stands at the left of its column.
            unknown = "?".ljust(max(map(len, texts[3]), default=1))
            texts[3].append(unknown if total.ratio is None else signed_percent(total.ratio))
            texts[4].append("")
        for column, changed in zip(body[start:], texts, strict=True):
            column.texts = changed

    def _head(self, edge: int) -> list[list[HeadCell]]:
        rule = HeadCell(edge, 1, "", " │")
        rows = [[*level, rule] for level in self._levels()]
        units: list[HeadCell] = []
        for place in range(len(self._table.columns)):
            start = _start(place)
            unit = printable(self._table.unit)
            units.append(HeadCell(start, _CENTER_COLUMNS, unit, " │ ", CENTER))
            if place:
                delta = start + _CENTER_COLUMNS
                units.append(HeadCell(delta, _DELTA_COLUMNS, "vs base", "  ", LEFT))
        return [*rows, [*units, rule]]

    def _levels(self) -> list[list[HeadCell]]:
        """Return a row of spans for each field of the columns' key; equal neighbours are merged."""
        keys = [self._grid.column_keys.values[column] for column in self._table.columns.tolist()]
        groups = [(0, len(keys))]
        levels = []
        for level in range(len(self._grid.column_keys.fields)):
            nodes: list[tuple[int, int]] = []
            for begin, end in groups:
                start = begin
                for place in range(begin + 1, end + 1):
                    if place == end or keys[place][level] != keys[start][level]:
                        nodes.append((start, place))
                        start = place
            levels.append(
                [
                    HeadCell(
                        _start(begin),
                        _start(end) - _start(begin),
                        printable(keys[begin][level]),
                        " │ ",
                        CENTER,
                    )
                    for begin, end in nodes
                ]
            )
            groups = nodes
        return levels


def _start(place: int) -> int:
    """Return the first body column of a column of results."""
    if place == 0:
        return 1
    return 1 + _CENTER_COLUMNS + (place - 1) * (_CENTER_COLUMNS + _DELTA_COLUMNS)


def _superscript(number: int) -> str:
    return str(number).translate(_SUPERSCRIPTS)
