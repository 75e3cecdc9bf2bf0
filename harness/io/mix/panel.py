"""The panel "Reads and writes together": heat maps by rates, and by size and load."""

from harness.io.mix.maps import heat_maps, masked_counts
from harness.io.mix.result import MixResult
from harness.page.document import fragment
from harness.page.heat_map import render_heat_map
from harness.page.latency_panel import STYLE as LATENCY_STYLE
from harness.page.panels import HEAT_MAP_STYLE, Panel
from harness.recordings.results import facts_text


def panels(result: MixResult) -> tuple[Panel, ...]:
    """Return the panel of a mix."""
    hints = [
        *result.warnings,
        facts_text(result.facts),
    ]
    if masked := masked_counts(result):
        hints.insert(
            0,
            f"Grey cells are masked: {', '.join(masked)}. A missed cell reached less than 97 % of "
            "its load, so its latency would be that of another load.",
        )
    rates = (("reads", result.max_reads_per_s), ("writes", result.max_writes_per_s))
    markup = fragment(
        "harness.io.mix/panel.html",
        hint=f"{result.requests}, {result.source_text}",
        rates=[(f"{rate:,.0f}", kind) for kind, rate in rates if rate is not None],
        maps=[(heat_map.title, render_heat_map(heat_map)) for heat_map in heat_maps(result)],
        hints=hints,
    )
    return (Panel(markup, (LATENCY_STYLE, HEAT_MAP_STYLE)),)
