"""The page of a gate: the verdict, what it rests on, all blocks."""

from harness.bench.gate.blocks import Block
from harness.bench.gate.result import GateResult
from harness.bench.gate.text import facts, verdict_text
from harness.bench.plots.distributions import distribution_picture
from harness.bench.plots.run_order import run_order_picture
from harness.bench.plots.samples import PlotSample
from harness.page.document import fragment
from harness.page.inline_svg import inline_svg
from harness.page.panels import TABLE_STYLE, Head, Panel, render_panels

_SCALES = {"slower": ("wall time, s", 1e-9), "cpu": ("CPU time, s", 1e-9)}
_MEMORY = ("largest resident set, MiB", 2.0**-20)


def gate_page(result: GateResult) -> str:
    """Return the page, to be written as UTF-8."""
    head = Head("Benchmark gate", "", result.rule, "measured", "gate")
    return render_panels([gate_panel(result)], head, {})


def gate_panel(result: GateResult) -> Panel:
    """Return the panel "Gate"."""
    unit, scale = _SCALES.get(result.rule.partition(":")[0], _MEMORY)
    samples = _samples(result.blocks, scale)
    order = run_order_picture(samples, unit, "svg", title="Blocks in the order of the runs")
    distribution = distribution_picture(samples, unit, "svg", title="Distribution of the runs")
    markup = fragment(
        "harness.bench.gate/panel.html",
        hint=f"fails if head is at least {result.threshold_percent:g} % above base",
        verdict=verdict_text(result),
        facts=[
            *facts(result),
            ("base", " ".join(result.base_command)),
            ("head", " ".join(result.head_command)),
        ],
        pictures=(
            inline_svg(order, "order", "Values of base, base again and head by block"),
            inline_svg(distribution, "distribution", "Distribution of base, base again and head"),
        ),
        warnings=result.warnings,
    )
    return Panel(markup, (TABLE_STYLE,))


def _samples(blocks: tuple[Block, ...], scale: float) -> list[PlotSample]:
    return [
        PlotSample("base", [scale * block.base for block in blocks]),
        PlotSample("base again", [scale * block.base_again for block in blocks]),
        PlotSample("head", [scale * block.head for block in blocks]),
    ]
