"""The panel "Reads and writes together": heat maps by rates, and by size and load."""

from harness.io.mix.shown import MixShown
from harness.page.document import escaped
from harness.page.heat_map import heat_map
from stallscope.printable import visible_text

FOLDER = "harness.page"
STYLES = ("heat_map.css",)


def mix_panel(shown: MixShown) -> str:
    """Return the panel's markup; every text is taken for a stranger's."""
    figures = "".join(
        f"<figure><figcaption>{escaped(one.title)}</figcaption>{heat_map(one)}</figure>"
        for one in shown.maps
    )
    told = [*shown.warnings, "; ".join(f"{label}: {text}" for label, text in shown.facts)]
    if shown.masked:
        told.insert(
            0,
            f"Grey cells are masked: {', '.join(shown.masked)}. One that missed got under 97 % "
            "of the load it was commanded; its latency would be another load's.",
        )
    hints = "".join(f'<p class="hint">{_text(text)}</p>' for text in told)
    return (
        '<section class="panel" id="mix" aria-labelledby="mix-title">'
        '<div class="panel-head"><h2 id="mix-title">Reads and writes together</h2>'
        f'<p class="hint">{_text(shown.requests)}, {_text(shown.source)}'
        f"{'' if shown.complete else ', interrupted'}</p></div>"
        f'<div class="latency-body">{_most(shown)}<div class="mix-maps">{figures}</div>{hints}'
        "</div>"
        "</section>"
    )


def _most(shown: MixShown) -> str:
    rates = (("reads", shown.most_reads), ("writes", shown.most_writes))
    known = [f"<b>{rate:,.0f}</b> {kind}/s" for kind, rate in rates if rate is not None]
    return f"<p>Of one kind alone: {' and '.join(known)}.</p>" if known else ""


def _text(text: str) -> str:
    return escaped(visible_text(text, 400))
