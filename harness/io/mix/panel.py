"""The panel "Reads and writes together": heat maps by rates, and by size and load."""

from harness.io.mix.maps import heat_maps, masked_counts
from harness.io.mix.result import MixResult
from harness.page import latency_panel
from harness.page.document import escaped
from harness.page.heat_map import render_heat_map
from harness.page.panels import Panel
from stallscope.printable import visible_text

STYLES = (
    (latency_panel.FOLDER, latency_panel.STYLES),
    ("harness.page", ("heat_map.css",)),
)


def panels(result: MixResult) -> tuple[Panel, ...]:
    """Return the panel of a mix; every text of the result is escaped."""
    return (Panel(_markup(result), STYLES),)


def _markup(result: MixResult) -> str:
    figures = "".join(
        f"<figure><figcaption>{escaped(heat_map.title)}</figcaption>{render_heat_map(heat_map)}"
        "</figure>"
        for heat_map in heat_maps(result)
    )
    texts = [
        *result.warnings,
        "; ".join(f"{label}: {text}" for label, text in result.facts.items()),
    ]
    if masked := masked_counts(result):
        texts.insert(
            0,
            f"Grey cells are masked: {', '.join(masked)}. A missed cell reached less than 97 % of "
            "its load, so its latency would be that of another load.",
        )
    hints = "".join(f'<p class="hint">{_text(text)}</p>' for text in texts)
    return (
        '<section class="panel" id="mix" aria-labelledby="mix-title">'
        '<div class="panel-head"><h2 id="mix-title">Reads and writes together</h2>'
        f'<p class="hint">{_text(result.requests)}, {_text(result.source)}'
        f"{'' if result.complete else ', interrupted'}</p></div>"
        f'<div class="latency-body">{_maximum(result)}<div class="mix-maps">{figures}</div>{hints}'
        "</div></section>"
    )


def _maximum(result: MixResult) -> str:
    rates = (("reads", result.most_reads_per_s), ("writes", result.most_writes_per_s))
    known = [f"<b>{rate:,.0f}</b> {kind}/s" for kind, rate in rates if rate is not None]
    return f"<p>Maximum of one kind alone: {' and '.join(known)}.</p>" if known else ""


def _text(text: str) -> str:
    return escaped(visible_text(text, 400))
