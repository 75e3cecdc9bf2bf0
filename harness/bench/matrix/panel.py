"""The panel of results by cluster and data set: rows, and throughput by connections."""

from collections.abc import Mapping, Sequence

from harness.bench.matrix.sections import MatrixSection
from harness.bench.plots.throughput import ThroughputLines, throughput_picture
from harness.page.document import fragment
from harness.page.inline_svg import inline_svg
from harness.page.panels import TABLE_STYLE, Panel
from stallscope.printable import visible_text

HEADS = ("benchmark", "mean ± largest deviation", "per second", "n")
_HINT = "mean without outliers (1.5 interquartile ranges) ± largest deviation; ·N: N connections"


def matrix_panel(parts: Sequence[MatrixSection], facts: Mapping[str, str]) -> Panel:
    """Return the panel "Time per operation"; it begins with the facts of the machine."""
    markup = fragment(
        "harness.bench.matrix/panel.html",
        hint=_HINT,
        facts=list(facts.items()),
        heads=HEADS,
        sections=[
            {
                "heading": part.heading,
                "rows": [
                    (row.name, row.summary, _rate(row.rate_per_s), str(len(row.times_ns)))
                    for row in part.rows
                ],
                "picture": _picture(part, f"matrix{number}"),
            }
            for number, part in enumerate(parts)
        ],
    )
    return Panel(markup, (TABLE_STYLE,))


def _rate(rate_per_s: float | None) -> str:
    return "n/a" if rate_per_s is None else f"{rate_per_s:,.0f}"


def _picture(part: MatrixSection, prefix: str) -> object:
    lines = part.lines()
    if not any(len(points) > 1 for points in lines.values()):
        return None
    data = ThroughputLines(lines, title=part.heading)
    return inline_svg(
        throughput_picture(data, "svg"), prefix, f"requests/s of {visible_text(part.heading, 200)}"
    )
