"""The panel "A reader beside a storm of writes": latency and bandwidth by limit, the table."""

import math
from collections.abc import Sequence

from harness.io.curve import panel as curve_panel
from harness.labs.storm.plan import against_text
from harness.labs.storm.shown import HEADS, LATENCIES, RowShown, StormShown
from harness.page import latency_panel
from harness.page.document import escaped
from harness.page.latency_panel import DECADES, look
from harness.page.plot import Axis, Plot, Tick, decade_ticks, round_ticks
from stallscope.printable import visible_text

STYLES = (
    (latency_panel.FOLDER, latency_panel.STYLES),
    *curve_panel.STYLES[1:],
)
_LINES = ("p50", "p99", "p99.9")
_GIB = 2**30


def storm_panel(shown: StormShown) -> str:
    """Return the panel's markup; every text is taken for a stranger's."""
    parts = [
        f'<p class="curve-finding"><b>{_text(shown.verdict)}</b>: {_text(shown.reason)}</p>',
        _plots(shown),
        _table(shown),
        _hint(f"* recommended, dotted in the plots: {shown.recommended}, {shown.how}"),
        _hint(
            f"{shown.recommended} against {against_text(shown.against)}, with shares: "
            + ", ".join(one.text for one in shown.ratios)
        ),
    ]
    parts += [
        _hint(f"masked {len(row.masked)} times: {row.name}: {row.masked[0]}")
        for row in shown.rows
        if row.masked
    ]
    parts += [_hint(text) for text in shown.warnings]
    parts.append(_hint("; ".join(f"{label}: {text}" for label, text in shown.facts)))
    return (
        '<section class="panel" id="storm" aria-labelledby="storm-title">'
        '<div class="panel-head"><h2 id="storm-title">A reader beside a storm of writes</h2>'
        f'<p class="hint">{_text(shown.asked)}, {_text(shown.source)}'
        f"{'' if shown.complete else ', interrupted'}</p></div>"
        f'<div class="latency-body">{"".join(parts)}</div></section>'
    )


def _plots(shown: StormShown) -> str:
    """Return reader's latency with shares and without, on the same axes, and the writer's rate."""
    kinds = [("with shares", shown.shared), ("first come, first served", shown.first_come)]
    known = [(name, rows) for name, rows in kinds if len(rows) > 1]
    values = [
        value
        for row in (*shown.shared, *shown.first_come)
        for name in _LINES
        if (value := row.reader_ns[name]) is not None and value > 0
    ]
    if not known or not values:
        return ""
    low = 10.0 ** (math.floor(3 * math.log10(min(values))) / 3)
    high = max(10.0 ** (math.ceil(3 * math.log10(max(values))) / 3), 2.2 * low)
    y = Axis(low, high, "reader's latency", decade_ticks(low, high, DECADES), logarithmic=True)
    figures = [
        _figure(_latency(shown, rows, y), f"Reader's latency by limit, {name}")
        for name, rows in known
    ]
    figures.append(_figure(_bandwidth(shown, known), "Writer's bandwidth by limit"))
    return (
        f'<div class="latency-plots">{"".join(figures)}</div>{_legend(_LINES)}'
        f"{_legend([f'bandwidth {name}' for name, _ in known])}"
    )


def _place(shown: StormShown, row: RowShown) -> float:
    """Return where a row stands: no limit is as many requests as there are, or a step beyond."""
    return float(row.limit) if row.limit is not None else _unlimited(shown)


def _unlimited(shown: StormShown) -> float:
    rows = (*shown.shared, *shown.first_come)
    return 2.0 * max(shown.writer_depth / 2, *(row.limit or 1 for row in rows), 1)


def _limits(shown: StormShown) -> Axis:
    limits = [row.limit for row in (*shown.shared, *shown.first_come) if row.limit is not None]
    high = _unlimited(shown)
    low = min([*limits, round(high / 2)])
    powers = range(math.ceil(math.log2(max(1, low))), math.floor(math.log2(high)) + 1)
    ticks = [Tick(1 << power, f"{1 << power}") for power in powers if 1 << power < 0.8 * high]
    return Axis(low, high, "limit", (*ticks, Tick(high, "all")), logarithmic=True)


def _latency(shown: StormShown, rows: Sequence[RowShown], y: Axis) -> str:
    plot = Plot(_limits(shown), y, "Reader's latency by limit")
    lines = []
    for at, name in enumerate(_LINES):
        points = [(_place(shown, row), row.reader_ns[name]) for row in rows]
        held = sorted((x, value) for x, value in points if value is not None)
        lines.append(plot.line(held, look(at)))
    return plot.drawn(_mark(shown, plot), *lines)


def _bandwidth(shown: StormShown, kinds: Sequence[tuple[str, Sequence[RowShown]]]) -> str:
    rates = [row.writer_bytes_per_s or 0.0 for _, rows in kinds for row in rows]
    top = 1.08 * max(1.0, *rates) / _GIB
    plot = Plot(_limits(shown), Axis(0, top, "GiB/s", round_ticks(top)), "Writer's bandwidth")
    lines = []
    for at, (_, rows) in enumerate(kinds):
        points = [(_place(shown, row), row.writer_bytes_per_s) for row in rows]
        held = sorted((x, value / _GIB) for x, value in points if value is not None)
        lines.append(plot.line(held, look(at)))
    return plot.drawn(_mark(shown, plot), *lines)


def _mark(shown: StormShown, plot: Plot) -> str:
    """Return a line across at the recommended limit."""
    x = float(shown.recommended)
    if not plot.x.low <= x <= plot.x.high:
        return ""
    return plot.line([(x, plot.y.low), (x, plot.y.high)], "curve-mark mark-2")


def _figure(plot: str, caption: str) -> str:
    return f"<figure>{plot}<figcaption>{escaped(caption)}</figcaption></figure>"


def _legend(names: Sequence[str]) -> str:
    items = "".join(
        f'<li><svg aria-hidden="true"><rect class="plot-swatch {look(at)}" width="12" '
        f'height="12"/></svg>{escaped(name)}</li>'
        for at, name in enumerate(names)
    )
    return f'<ul class="latency-legend">{items}</ul>'


def _table(shown: StormShown) -> str:
    names = ("Queue", *LATENCIES, "written", *HEADS[7:])
    heads = "".join(
        f'<th scope="col"{" class=number" if at else ""}>{escaped(name)}</th>'
        for at, name in enumerate(names)
    )
    rows = "".join(_row(row) for row in shown.rows)
    return (
        f'<div class="scroll"><table class="curve-table"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(row: RowShown) -> str:
    first, *others = row.cells
    cells = "".join(f'<td class="number">{escaped(cell)}</td>' for cell in others)
    return f'<tr><td class="name">{_text(first)}</td>{cells}</tr>'


def _text(text: str) -> str:
    return escaped(visible_text(text, 600))


def _hint(text: str) -> str:
    return f'<p class="hint">{_text(text)}</p>'
