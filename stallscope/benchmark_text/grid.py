"""Results in tables of rows and columns: each cell is the sample of all values with its keys."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stallscope.benchmark_text.filters import matching_series, parse_filter
from stallscope.benchmark_text.projections import Projection, ProjectionKeys, ProjectionParser
from stallscope.benchmark_text.results import BenchmarkResults
from stallscope.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from stallscope._native import BenchmarkSamples

    Ids = npt.NDArray[np.int64]

MAX_CELLS = 50_000_000  # of one table, filled or not
ABSENT = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class GridOptions:
    """The expressions that make tables: filter and projections."""

    filter: str = "*"
    table: str = ".config"
    row: str = ".fullname"
    col: str = ".file"
    ignore: str = ""
    keep_unscaled: bool = False  # 0 and infinity keep the unit as written


@dataclass(frozen=True, slots=True)
class GridTable:
    """A table: its key, unit, the keys of its rows and columns, and its cells.

    ``cells`` is (n_rows, n_columns): positions in the samples, ABSENT for an empty cell.
    """

    key: int
    unit: str
    rows: "Ids"
    columns: "Ids"
    cells: "Ids"


@dataclass(frozen=True, slots=True)
class Grid:
    """All tables, the samples of their cells, and the keys that name them.

    ``varying``: by cell, the names of fields that differ between the results in it.
    """

    tables: tuple[GridTable, ...]
    samples: "BenchmarkSamples"
    table_keys: ProjectionKeys
    row_keys: ProjectionKeys
    column_keys: ProjectionKeys
    varying: dict[int, tuple[str, ...]]


def build_grid(results: BenchmarkResults, options: GridOptions) -> Grid:
    """Return the tables of results. Raises ExpressionError or UsageError."""
    import numpy as np  # noqa: PLC0415

    parser = ProjectionParser()
    condition = parse_filter(options.filter)
    by_table = parser.parse(options.table, with_unit=True)
    by_row = parser.parse(options.row)
    by_column = parser.parse(options.col)
    ignored = parser.parse(options.ignore)
    mask = matching_series(results, condition)
    for projection in (by_table, by_row, by_column, ignored):
        mask &= projection.allowed_series(results)
    selected = np.flatnonzero(mask)
    unscaled = options.keep_unscaled
    tables = by_table.project(results, selected, keep_unscaled=unscaled)
    rows = by_row.project(results, selected)
    columns = by_column.project(results, selected)
    return _grid(results, selected, (tables, rows, columns), parser.residue())


def _grid(
    results: BenchmarkResults,
    selected: "Ids",
    keys: tuple[ProjectionKeys, ProjectionKeys, ProjectionKeys],
    residue: Projection,
) -> Grid:
    import numpy as np  # noqa: PLC0415

    from stallscope import _native  # noqa: PLC0415

    tables, rows, columns = keys
    combined = (tables.of_series * len(rows.values) + rows.of_series) * len(
        columns.values
    ) + columns.of_series
    cell_codes, cell_of_series = np.unique(combined, return_inverse=True)
    cell_of_series = cell_of_series.reshape(-1)
    order = np.argsort(cell_of_series, kind="stable")
    counts = np.bincount(cell_of_series, minlength=len(cell_codes))
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    samples = _native.BenchmarkSamples(results.native, offsets, selected[order].astype(np.int64))
    column_codes = cell_codes % max(1, len(columns.values))
    row_codes = cell_codes // max(1, len(columns.values))
    table_codes = row_codes // max(1, len(rows.values))
    row_codes %= max(1, len(rows.values))
    built = []
    edges = np.searchsorted(table_codes, np.arange(len(tables.values) + 1))
    for key, (begin, end) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
        table_rows, row_places = np.unique(row_codes[begin:end], return_inverse=True)
        table_columns, column_places = np.unique(column_codes[begin:end], return_inverse=True)
        if len(table_rows) * len(table_columns) > MAX_CELLS:
            raise UsageError(
                f"a table of {len(table_rows)} rows and {len(table_columns)} columns is too large",
                "choose other keys for --row and --col, or a --filter",
            )
        cells = np.full((len(table_rows), len(table_columns)), ABSENT, dtype=np.int64)
        cells[row_places.reshape(-1), column_places.reshape(-1)] = np.arange(begin, end)
        unit = tables.values[key][-1]
        built.append(GridTable(key, unit, table_rows, table_columns, cells))
    varying = _varying_fields(residue, results, selected, cell_of_series)
    return Grid(tuple(built), samples, tables, rows, columns, varying)


def _varying_fields(
    residue: Projection, results: BenchmarkResults, selected: "Ids", cell_of_series: "Ids"
) -> dict[int, tuple[str, ...]]:
    """Return the names of the fields that differ within a cell, for cells with any."""
    if not residue.orders:
        return {}
    keys = residue.project(results, selected)
    values_of_cells: dict[int, set[int]] = {}
    for cell, key in zip(cell_of_series.tolist(), keys.of_series.tolist(), strict=True):
        values_of_cells.setdefault(cell, set()).add(key)
    varying = {}
    for cell, distinct in values_of_cells.items():
        rows = [keys.values[key] for key in distinct]
        names = tuple(
            name for place, name in enumerate(keys.fields) if len({row[place] for row in rows}) > 1
        )
        if names:
            varying[cell] = names
    return varying
