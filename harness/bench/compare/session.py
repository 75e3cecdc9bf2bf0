"""Reads files, compares them and prints the comparison."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from harness.bench.compare.options import BenchCompareOptions
from harness.bench.compare.result import BenchCompareResult, ComparisonRow, GeometricMean, Sample
from harness.bench.compare.verdicts import (
    BETTER,
    WORSE,
    CellStatistics,
    ColumnComparison,
    compare_columns,
)
from stallscope.benchmark_text.grid import ABSENT, Grid, GridTable, build_grid
from stallscope.benchmark_text.results import BenchmarkResults, Problem, read_benchmarks
from stallscope.errors import ExitCode, RecordingError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Values = npt.NDArray[np.float64]


_ORDER = (
    "files that were measured one after the other also differ by drift of the machine, which no "
    "test of their values detects; stallscope bench gate alternates both sides"
)


def run_compare(options: BenchCompareOptions, *, as_json: bool) -> int:
    """Print the comparison and return the exit code."""
    from harness.bench.compare.output import print_benchstat, print_document  # noqa: PLC0415

    results = read_benchmarks(options.files)
    problems = results.problems
    if not results.series_count:
        reasons = "; ".join(map(str, problems[:5]))
        message = f"no benchmark line in {', '.join(options.files)}"
        raise RecordingError(
            f"{message}: {reasons}" if reasons else message,
            "a benchmark line is: BenchmarkName 100 12.3 ns/op",
        )
    grid = build_grid(results, options.grid)
    result: BenchCompareResult | None = None
    if options.style == "benchstat":
        print_benchstat(results, grid, options)
        if options.fail_if_worse:
            result = compare(results, grid, options)
    else:
        result = compare(results, grid, options)
        text = _text_lines(result, grid, options)
        del results, grid  # frees the values of all lines before the text of all rows is made
        print_document(result, text, options, as_json=as_json)
    worse = result is not None and any(row.verdict == WORSE for row in result.rows)
    if options.fail_if_worse and worse:
        return ExitCode.FINDING
    return exit_code(problems)


def _text_lines(
    result: BenchCompareResult, grid: Grid, options: BenchCompareOptions
) -> Iterator[str]:
    if options.style == "2017":
        from harness.bench.compare.style_2017 import style_2017_lines  # noqa: PLC0415

        return style_2017_lines(grid)
    from harness.bench.compare.text import lines  # noqa: PLC0415

    return lines(result)


def exit_code(problems: Sequence[Problem]) -> ExitCode:
    """Return USAGE if a file is missing, UNREADABLE if lines were not read, else DONE."""
    if any(problem.is_file for problem in problems):
        return ExitCode.USAGE
    return ExitCode.UNREADABLE if problems else ExitCode.DONE


def compare(
    results: BenchmarkResults, grid: Grid, options: BenchCompareOptions
) -> BenchCompareResult:
    """Return the document of a comparison."""
    cells = CellStatistics(grid, options.confidence)
    samples = _samples(cells)
    compared = compare_columns(grid, cells, results.metadata, options.alpha)
    rows: list[ComparisonRow] = []
    for table in grid.tables:
        columns = [column for column in compared if column.table is table]
        if columns:
            for column in columns:
                rows += _rows(grid, column, samples)
        else:
            rows += _single_rows(grid, table, samples)
    labels = [grid.column_keys.label(key) for key in range(len(grid.column_keys.values))]
    warnings = []
    if cells.not_numbers:
        warnings.append(f"left out: {cells.not_numbers} times NaN")
    if grid.varying:
        fields = sorted({name for names in grid.varying.values() for name in names})
        warnings.append(f"samples contain results that differ in {', '.join(fields)}")
    if len(labels) > 1 and not compared:
        fields = _differing_fields(grid)
        warnings.append(
            f"no row is compared: the columns differ in {', '.join(fields) or 'their units'}; "
            "to compare all the same, name these keys with --ignore"
        )
    if options.grid.col == ".file" and any(row.verdict in (BETTER, WORSE) for row in rows):
        warnings.append(_ORDER)
    return BenchCompareResult(
        base=labels[0] if labels else "",
        columns=tuple(labels[1:]),
        confidence=options.confidence,
        alpha=options.alpha,
        rows=tuple(rows),
        geomeans=tuple(_geometric_mean(grid, cells, column) for column in compared),
        problems=tuple(map(str, results.problems)),
        warnings=tuple(warnings),
    )


def _samples(cells: CellStatistics) -> list[Sample]:
    return [
        Sample(median=_known(median), low=_known(low), high=_known(high), n=n)
        for median, low, high, n in zip(
            cells.medians.tolist(),
            cells.lows.tolist(),
            cells.highs.tolist(),
            cells.sizes.tolist(),
            strict=True,
        )
    ]


def _known(number: float) -> float | None:
    return number if math.isfinite(number) else None


def table_text(grid: Grid, table: GridTable) -> str:
    """Return the configuration of a table in one line, without the unit."""
    values = grid.table_keys.values[table.key][:-1]
    names = grid.table_keys.fields[:-1]
    return ", ".join(f"{name}: {value}" for name, value in zip(names, values, strict=True) if value)


def _rows(
    grid: Grid, column: ColumnComparison, samples: Sequence[Sample]
) -> Iterator[ComparisonRow]:
    table = column.table
    text = table_text(grid, table)
    label = grid.column_keys.label(int(table.columns[column.place]))
    rows = zip(
        table.rows.tolist(),
        table.cells[:, 0].tolist(),
        table.cells[:, column.place].tolist(),
        column.deltas.tolist(),
        column.p_values.tolist(),
        column.p_holm.tolist(),
        column.verdicts,
        strict=True,
    )
    for row, base, head, delta, p, p_holm, verdict in rows:
        if base == ABSENT and head == ABSENT:
            continue
        yield ComparisonRow(
            table=text,
            name=grid.row_keys.label(row),
            unit=table.unit,
            column=label,
            a=None if base == ABSENT else samples[base],
            b=None if head == ABSENT else samples[head],
            delta=_known(delta),
            p=_share(p),
            p_holm=_share(p_holm),
            verdict=verdict,
        )


def _share(p: float) -> float | None:
    return None if math.isnan(p) else min(1.0, p)


def _single_rows(
    grid: Grid, table: GridTable, samples: Sequence[Sample]
) -> Iterator[ComparisonRow]:
    text = table_text(grid, table)
    label = grid.column_keys.label(int(table.columns[0]))
    for row, cell in zip(table.rows.tolist(), table.cells[:, 0].tolist(), strict=True):
        yield ComparisonRow(
            table=text,
            name=grid.row_keys.label(row),
            unit=table.unit,
            column=label,
            a=samples[cell],
            b=None,
            delta=None,
            p=None,
            p_holm=None,
            verdict="",
        )


def _geometric_mean(grid: Grid, cells: CellStatistics, column: ColumnComparison) -> GeometricMean:
    import numpy as np  # noqa: PLC0415

    table = column.table
    bases, heads = table.cells[:, 0], table.cells[:, column.place]
    both = (bases != ABSENT) & (heads != ABSENT)
    a, b = cells.medians[bases[both]], cells.medians[heads[both]]
    positive = (a > 0) & (b > 0) & np.isfinite(a) & np.isfinite(b)
    count = int(positive.sum())
    delta = math.expm1(float(np.mean(np.log(b[positive] / a[positive])))) if count else None
    return GeometricMean(
        table=table_text(grid, table),
        unit=table.unit,
        column=grid.column_keys.label(int(table.columns[column.place])),
        delta=delta,
        rows=count,
        omitted_rows=len(both) - count,
    )


def _differing_fields(grid: Grid) -> list[str]:
    keys = [grid.table_keys.values[table.key] for table in grid.tables]
    return [
        name
        for place, name in enumerate(grid.table_keys.fields[:-1])
        if len({key[place] for key in keys}) > 1
    ]
