"""The page of benchmark runs."""

from collections.abc import Iterator, Mapping

from markupsafe import Markup

from harness.bench.matrix.panel import matrix_panel
from harness.bench.matrix.sections import sections
from harness.bench.plots.distributions import distribution_picture
from harness.bench.plots.run_order import run_order_picture
from harness.bench.plots.samples import PlotSample
from harness.bench.run.result import BenchRunResult
from harness.bench.run.text import HEADS, MAX_NOTED, note_texts, table_rows
from harness.page.document import fragment
from harness.page.inline_svg import inline_svg
from harness.page.panels import TABLE_STYLE, Head, Panel, render_panels

_MIN_RUNS = 2  # of a command


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
        pictures=list(_pictures(result)),
        warnings=result.warnings,
    )
    return Panel(markup, (TABLE_STYLE,))


def _pictures(result: BenchRunResult) -> Iterator[Markup]:
    """Yield the runs in their order, which shows drift and warm-up, and their distribution."""
    if len(result.commands) > MAX_NOTED:
        return
    samples = [_sample(result, index) for index in range(len(result.commands))]
    if max((sample.finite().size for sample in samples), default=0) < _MIN_RUNS:
        return
    unit = "wall time, s"
    order = run_order_picture(samples, unit, "svg", title="Runs in their order")
    yield inline_svg(order, "order", "Wall time of each run, in the order of the runs")
    distribution = distribution_picture(samples, unit, "svg", title="Distribution of the runs")
    yield inline_svg(distribution, "distribution", "Distribution of the wall times")


def _sample(result: BenchRunResult, index: int) -> PlotSample:
    """Return the successful runs of a command, at their places among the runs of all."""
    runs = [
        (place, run.wall_ns / 1e9)
        for place, run in enumerate(result.runs, start=1)
        if run.command == index and not run.failed
    ]
    name = result.commands[index].name
    return PlotSample(name, [value for _, value in runs], [place for place, _ in runs])


def render_page(result: BenchRunResult, *, recording_name: str, facts: Mapping[str, str]) -> str:
    """Return the page, to be written as UTF-8."""
    head = Head(
        f"Benchmark of {result.title}", recording_name, "wall time", result.source_text, "benchmark"
    )
    parts = sections(result, facts.get("host", "") or "local")
    panels = [matrix_panel(parts, facts)] if parts else []
    return render_panels([*panels, runs_panel(result)], head, facts)
