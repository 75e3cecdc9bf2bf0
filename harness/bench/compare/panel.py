"""The panel of a comparison: a forest plot, and a table per configuration, unit and column."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from harness.bench.compare.result import CompareResult, ComparisonRow
from harness.bench.compare.text import delta_text, p_text, sample_text, sizes_text
from harness.bench.compare.verdicts import BETTER, WORSE
from harness.bench.plots.forest import ForestRow, forest_picture
from harness.cli.outputs import write_whole
from harness.page.document import fragment
from harness.page.inline_svg import inline_svg
from harness.page.panels import TABLE_STYLE, Head, Panel, render_panels
from stallscope.benchmark_text.units import ScaleTable, has_binary_prefixes
from stallscope.printable import visible_text

_MAX_ROWS = 1000  # of a table on the page
_HEAD = ("benchmark", "a", "", "b", "", "change", "p (Holm)", "n", "verdict")


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    cells: tuple[str, ...]
    muted: bool


@dataclass(frozen=True, slots=True)
class _Table:
    title: str
    head: Sequence[str]
    rows: Sequence[_Row]
    omitted: int


def panels(result: CompareResult) -> tuple[Panel, ...]:
    """Return the panel of a comparison."""
    tables = [
        _table(list(group), f"{unit}, {column} against {result.base}", table)
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
        hints=[visible_text(hint) for hint in hints],
        picture=picture,
        tables=tables,
    )
    return (Panel(markup, (TABLE_STYLE,)),)


def _forest_row(row: ComparisonRow) -> ForestRow:
    verdict = row.verdict if row.verdict in (BETTER, WORSE) else "unclear"
    return ForestRow(f"{row.name} {row.unit}", row.delta, None, None, verdict)


def _table(rows: Sequence[ComparisonRow], title: str, table: str) -> _Table:
    scales = ScaleTable(binary=has_binary_prefixes(rows[0].unit))
    shown = []
    for row in rows[:_MAX_ROWS]:
        medians = [
            abs(sample.median) for sample in (row.a, row.b) if sample is not None and sample.median
        ]
        scale = scales.scale_of(min(medians, default=0.0))
        samples = [cell for sample in (row.a, row.b) for cell in sample_text(sample, scale)]
        cells = (*samples, delta_text(row.delta), p_text(row.p_holm), sizes_text(row), row.verdict)
        muted = row.verdict not in (BETTER, WORSE, "higher", "lower")
        shown.append(_Row(visible_text(row.name), cells, muted))
    return _Table(
        visible_text(f"{title} ({table})" if table else title),
        _HEAD,
        shown,
        max(0, len(rows) - _MAX_ROWS),
    )


def write_page(result: CompareResult, path: Path) -> None:
    """Write the comparison as an HTML page."""
    subject = ", ".join([result.base, *result.columns])
    head = Head("Comparison of benchmarks", visible_text(subject, 200), "", "measured")
    write_whole(path, [render_panels(panels(result), head, {})])
