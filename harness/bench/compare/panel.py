"""The panel of a comparison: a forest plot, and a table per configuration, unit and column."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from harness.bench.compare.result import BenchCompareResult, ComparisonRow
from harness.bench.compare.text import delta_text, p_text, sample_text, sizes_text
from harness.bench.compare.verdicts import BETTER, WORSE
from harness.bench.plots.forest import ForestRow, forest_picture
from harness.cli.outputs import write_whole
from harness.cli.terminal import shorten
from harness.page.document import fragment
from harness.page.inline_svg import inline_svg
from harness.page.panels import TABLE_STYLE, Head, Panel, render_panels
from stallscope.benchmark_text.units import ScaleTable, has_binary_prefixes
from stallscope.printable import visible_text

_MAX_ROWS = 1000  # of a table on the page
_MAX_LABEL = 36


@dataclass(frozen=True, slots=True)
class _Table:
    title: str
    heads: Sequence[str]
    rows: Sequence[tuple[str, ...]]
    muted: Sequence[int]
    omitted: int


def panels(result: BenchCompareResult) -> tuple[Panel, ...]:
    """Return the panel of a comparison."""
    tables = [
        _table(list(group), _heads(result.base, column), f"{unit} ({table})" if table else unit)
        for (table, unit, column), group in groupby(
            result.rows, key=lambda row: (row.table, row.unit, row.column)
        )
    ]
    compared = [row for row in result.rows if row.delta is not None]
    strongest = sorted(compared, key=lambda row: -abs(row.delta or 0))[:60]
    picture = None
    if strongest:
        content = forest_picture([_forest_row(row) for row in strongest], "svg")
        picture = inline_svg(content, "forest", "Change of each benchmark with its verdict")
    hints = [
        f"± is the larger distance of the {100 * result.confidence:g} % interval of the median.",
        f"Verdicts: exact U test, p < {result.alpha:g} after Holm's correction over all rows.",
        *result.warnings,
        *(f"not read: {problem}" for problem in result.problems[:20]),
    ]
    markup = fragment(
        "harness.bench.compare/panel.html",
        hints=hints,
        picture=picture,
        tables=tables,
    )
    return (Panel(markup, (TABLE_STYLE,)),)


def _forest_row(row: ComparisonRow) -> ForestRow:
    verdict = row.verdict if row.verdict in (BETTER, WORSE) else "unclear"
    name = f"{row.unit}: {shorten(visible_text(row.name), _MAX_LABEL)}"
    return ForestRow(name, row.delta, None, None, verdict)


def _heads(base: str, column: str) -> tuple[str, ...]:
    return ("benchmark", base, "±", column, "±", "change", "p (Holm)", "n", "verdict")


def _table(rows: Sequence[ComparisonRow], heads: Sequence[str], title: str) -> _Table:
    scales = ScaleTable(binary=has_binary_prefixes(rows[0].unit))
    table_rows, muted = [], []
    for place, row in enumerate(rows[:_MAX_ROWS]):
        medians = [
            abs(sample.median) for sample in (row.a, row.b) if sample is not None and sample.median
        ]
        scale = scales.scale_of(min(medians, default=0.0))
        samples = [cell for sample in (row.a, row.b) for cell in sample_text(sample, scale)]
        cells = (*samples, delta_text(row.delta), p_text(row.p_holm), sizes_text(row), row.verdict)
        table_rows.append((row.name, *cells))
        if row.verdict not in (BETTER, WORSE, "higher", "lower"):
            muted.append(place)
    return _Table(title, heads, table_rows, muted, max(0, len(rows) - _MAX_ROWS))


def write_page(result: BenchCompareResult, path: Path) -> None:
    """Write the comparison as an HTML page."""
    subject = ", ".join([result.base, *result.columns])
    head = Head("Comparison of benchmarks", visible_text(subject, 200), "benchmarks", "measured")
    write_whole(path, [render_panels(panels(result), head, {})])
