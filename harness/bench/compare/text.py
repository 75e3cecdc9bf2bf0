"""The comparison as text: one table per configuration, unit and column."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from harness.bench.compare.benchstat.layout import CENTER, LEFT, RIGHT, Column, HeadCell, Layout
from harness.bench.compare.result import BenchCompareResult, ComparisonRow, GeometricMean, Sample
from stallscope.benchmark_text.units import ScaleTable, UnitScale, has_binary_prefixes
from stallscope.printable import printable


def lines(result: BenchCompareResult) -> Iterator[str]:
    """Yield the lines of all tables, geometric means, warnings and a legend."""
    means = {(mean.table, mean.unit, mean.column): mean for mean in result.geomeans}
    table_before: str | None = None
    for (table, unit, column), group in groupby(
        result.rows, key=lambda row: (row.table, row.unit, row.column)
    ):
        if table != table_before:
            if table_before is not None:
                yield ""
            yield from (printable(part) for part in table.split(", ") if part)
            table_before = table
        yield ""
        yield from _table(list(group), unit, result.base, column)
        mean = means.get((table, unit, column))
        if mean is not None:
            yield from _mean_line(mean)
    yield ""
    yield from _legend(result)


def _table(rows: Sequence[ComparisonRow], unit: str, base: str, column: str) -> Iterator[str]:
    scales = ScaleTable(binary=has_binary_prefixes(unit))
    compared = any(row.verdict for row in rows)
    a_texts, b_texts = [], []
    for row in rows:
        medians = [
            abs(sample.median) for sample in (row.a, row.b) if sample is not None and sample.median
        ]
        scale = scales.scale_of(min(medians, default=0.0))
        a_texts.append(sample_text(row.a, scale))
        b_texts.append(sample_text(row.b, scale))
    columns = [
        Column([printable(row.name) for row in rows], LEFT, ""),
        Column([text for text, _ in a_texts], RIGHT, "  "),
        Column([text for _, text in a_texts], RIGHT, " ± "),
    ]
    first = printable(base if compared else column)
    head = [[HeadCell(0, 1, printable(unit), ""), HeadCell(1, 2, first, "  ", CENTER)]]
    if compared:
        columns += [
            Column([text for text, _ in b_texts], RIGHT, "  "),
            Column([text for _, text in b_texts], RIGHT, " ± "),
            Column([delta_text(row.delta) for row in rows], RIGHT, "  "),
            Column([p_text(row.p_holm) for row in rows], RIGHT, "  "),
            Column([sizes_text(row) for row in rows], RIGHT, "  "),
            Column([row.verdict for row in rows], LEFT, "  "),
        ]
        head[0] += [
            HeadCell(3, 2, printable(column), "  ", CENTER),
            HeadCell(5, 1, "change", "  ", RIGHT),
            HeadCell(6, 1, "p (Holm)", "  ", RIGHT),
            HeadCell(7, 1, "n", "  ", RIGHT),
            HeadCell(8, 1, "verdict", "  "),
        ]
    return Layout(columns, head).lines()


def sample_text(sample: Sample | None, scale: UnitScale) -> tuple[str, str]:
    """Return the median and the larger distance of its interval in percent."""
    if sample is None or sample.median is None:
        return "-", ""
    text = scale.text(sample.median)
    if sample.low is None or sample.high is None or sample.median == 0:
        return text, "?"
    distance = max(sample.high - sample.median, sample.median - sample.low) / abs(sample.median)
    return text, f"{100 * distance:.0f}%"


def delta_text(delta: float | None) -> str:
    """Return a relative change in percent."""
    return "" if delta is None else f"{100 * delta:+.2f}%"


def p_text(p: float | None) -> str:
    """Return a p-value."""
    if p is None:
        return ""
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def sizes_text(row: ComparisonRow) -> str:
    """Return the sizes of both samples, such as 5+4."""
    if row.a is None or row.b is None:
        return ""
    return str(row.a.n) if row.a.n == row.b.n else f"{row.a.n}+{row.b.n}"


def _mean_line(mean: GeometricMean) -> Iterator[str]:
    omitted = f"; {_rows_text(mean.omitted_rows)} without a pair" if mean.omitted_rows else ""
    if mean.delta is None:
        yield f"geomean: none{omitted}"
    else:
        yield f"geomean of {_rows_text(mean.rows)}: {delta_text(mean.delta)}{omitted}"


def _rows_text(count: int) -> str:
    return f"{count} row" if count == 1 else f"{count} rows"


def _legend(result: BenchCompareResult) -> Iterator[str]:
    level = f"{100 * result.confidence:g} %"
    yield (
        f"± larger distance of the {level} interval of the median; "
        "? too few values, or a median of 0."
    )
    counts = Counter(row.verdict for row in result.rows if row.verdict)
    if counts:
        yield (
            f"Verdicts: p < {result.alpha:g} in the exact U test, corrected by Holm for "
            f"{_rows_text(sum(row.p is not None for row in result.rows))}: "
            + ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
            + "."
        )
        if any(verdict.startswith("need ") for verdict in counts):
            yield "need N: a difference can only be significant with at least N values per sample."
    for warning in result.warnings:
        yield f"warning: {printable(warning)}"
    if result.problems:
        yield f"warning: {len(result.problems)} files or lines were not read; see standard error"
