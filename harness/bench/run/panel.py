"""The page of benchmark runs."""

from collections.abc import Mapping

from harness.bench.run.result import BenchRunResult
from harness.bench.run.text import HEADS, note_texts, table_rows
from harness.page.document import fragment
from harness.page.panels import TABLE_STYLE, Head, Panel, render_panels


def runs_panel(result: BenchRunResult) -> Panel:
    """Return the table of commands with notes and warnings."""
    hint = (
        f"medians of {result.rounds} rounds in random order, seed {result.seed}, "
        f"rounds of warm-up: {result.warmup}"
    )
    markup = fragment(
        "harness.bench.run/panel.html",
        hint=hint,
        heads=HEADS,
        rows=table_rows(result.commands),
        notes=list(note_texts(result)),
        warnings=result.warnings,
    )
    return Panel(markup, (TABLE_STYLE,))


def render_page(result: BenchRunResult, *, recording_name: str, facts: Mapping[str, str]) -> str:
    """Return the page, to be written as UTF-8."""
    head = Head(
        f"Benchmark of {result.title}", recording_name, "wall time", result.source_text, "benchmark"
    )
    return render_panels([runs_panel(result)], head, facts)
