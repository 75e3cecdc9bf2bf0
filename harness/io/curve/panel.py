"""The panel "Response curve": throughput and latency by depth, and the three depths with a name."""

import math
from collections.abc import Callable, Sequence

from harness.io.curve.shown import CurveShown, PointShown
from harness.page.document import escaped
from harness.page.figures import value_text
from harness.page.latency_panel import DECADES, look
from harness.page.plot import Axis, Plot, Tick, decade_ticks, round_ticks
from ioprobe.engine.points import Latency
from stallscope.printable import visible_text

FOLDER = "harness.io.curve"
STYLES = ("curve.css",)
_LINES: tuple[tuple[str, Callable[[Latency], float]], ...] = (
    ("p50", lambda found: found.p50),
    ("p99", lambda found: found.p99),
    ("p99.9", lambda found: found.p999),
)
_HEADS = ("Depth", "Requests/s", "least", "most", "mean", "p50", "p90", "p99", "p99.9", "max", "")


def curve_panel(shown: CurveShown) -> str:
    """Return the panel's markup; every text is taken for a stranger's."""
    known = [one for one in shown.points if one.iops is not None and one.latencies is not None]
    parts = [_findings(shown), _depths(shown)]
    if len(known) > 1:
        plots = _figure(_throughput(shown, known), "Throughput by requests in flight")
        plots += _figure(_latency(shown, known), "Latency by requests in flight")
        parts.append(f'<div class="latency-plots">{plots}</div>{_legend()}')
    parts.append(_table(shown))
    parts += [_hint(text) for text in (*_masked(shown), *shown.warnings)]
    parts.append(_hint("; ".join(f"{label}: {text}" for label, text in shown.facts)))
    return (
        '<section class="panel" id="curve" aria-labelledby="curve-title">'
        '<div class="panel-head"><h2 id="curve-title">Response curve</h2>'
        f'<p class="hint">{_text(shown.requests)}, {_text(shown.source)}'
        f"{'' if shown.complete else ', interrupted'}</p></div>"
        f'<div class="latency-body">{"".join(parts)}</div></section>'
    )


def _text(text: str) -> str:
    return escaped(visible_text(text, 400))


def _hint(text: str) -> str:
    return f'<p class="hint">{_text(text)}</p>'


def _findings(shown: CurveShown) -> str:
    return "".join(
        f'<p class="curve-finding"><b>{_text(one.verdict)}</b>: {_text(one.text)}</p>'
        for one in shown.findings
    )


def _depths(shown: CurveShown) -> str:
    items = "".join(
        f'<div class="curve-depth mark-{at}"><dt>{_text(one.name)}</dt>'
        f"<dd><b>{'none' if one.depth is None else one.depth}</b> <span>{_text(one.text)}</span>"
        "</dd></div>"
        for at, one in enumerate(shown.depths)
    )
    return f'<dl class="curve-depths">{items}</dl>'


def _figure(plot: str, caption: str) -> str:
    return f"<figure>{plot}<figcaption>{caption}</figcaption></figure>"


def _depth_axis(known: Sequence[PointShown]) -> Axis:
    low, high = known[0].depth, known[-1].depth
    powers = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)
    step = 1 if len(powers) <= 9 else 2
    ticks = tuple(Tick(1 << power, f"{1 << power}") for power in powers[::step])
    return Axis(low, high, "requests in flight", ticks, logarithmic=True)


def _throughput(shown: CurveShown, known: Sequence[PointShown]) -> str:
    top = 1.08 * max(one.iops_max or one.iops or 0.0 for one in known)
    y = Axis(0, top, "requests/s", round_ticks(top))
    plot = Plot(_depth_axis(known), y, "Throughput by requests in flight")
    spans = [
        plot.line([(one.depth, one.iops_min), (one.depth, one.iops_max)], "curve-span")
        for one in known
        if one.iops_min is not None and one.iops_max is not None
    ]
    line = plot.line([(one.depth, one.iops or 0.0) for one in known], look(0))
    return plot.drawn(*_marks(shown, plot), *spans, line)


def _latency(shown: CurveShown, known: Sequence[PointShown]) -> str:
    latencies = [(one.depth, one.latencies) for one in known if one.latencies is not None]
    values = [pick(found) for _, found in latencies for _, pick in _LINES]
    low = 10.0 ** (math.floor(3 * math.log10(max(1.0, min(values)))) / 3)
    high = 10.0 ** (math.ceil(3 * math.log10(max(10.0, *values))) / 3)
    high = max(high, shown.slo_p99_ns or 0.0, 2.2 * low)
    y = Axis(low, high, "latency", decade_ticks(low, high, DECADES), logarithmic=True)
    plot = Plot(_depth_axis(known), y, "Latency by requests in flight")
    lines = [
        plot.line([(depth, pick(found)) for depth, found in latencies], look(at))
        for at, (_, pick) in enumerate(_LINES)
    ]
    slo = shown.slo_p99_ns
    if slo is not None and slo >= low:
        lines.append(plot.line([(plot.x.low, slo), (plot.x.high, slo)], "curve-slo"))
    return plot.drawn(*_marks(shown, plot), *lines)


def _marks(shown: CurveShown, plot: Plot) -> list[str]:
    """Return a line across for each depth with a name, in the colour of its entry above."""
    return [
        plot.line([(one.depth, plot.y.low), (one.depth, plot.y.high)], f"curve-mark mark-{at}")
        for at, one in enumerate(shown.depths)
        if one.depth is not None and one.depth >= plot.x.low
    ]


def _legend() -> str:
    items = "".join(
        f'<li><svg aria-hidden="true"><rect class="plot-swatch {look(at)}" width="12" '
        f'height="12"/></svg>{name}</li>'
        for at, (name, _) in enumerate(_LINES)
    )
    return f'<ul class="latency-legend">{items}</ul>'


def _table(shown: CurveShown) -> str:
    heads = "".join(f'<th scope="col" class="number">{name}</th>' for name in _HEADS)
    rows = "".join(
        "<tr>"
        + "".join(f'<td class="number">{escaped(cell)}</td>' for cell in _cells(one))
        + f"<td>{_text(', '.join(shown.marks(one.depth)))}</td></tr>"
        for one in shown.points
    )
    return (
        f'<div class="scroll"><table class="curve-table"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _cells(one: PointShown) -> list[str]:
    found = one.latencies
    if one.iops is None or found is None:
        return [str(one.depth), "masked", *["n/a"] * (len(_HEADS) - 3)]
    rates = [one.iops, one.iops_min or one.iops, one.iops_max or one.iops]
    times = [found.mean, found.p50, found.p90, found.p99, found.p999, found.max]
    return [
        str(one.depth),
        *(f"{rate:,.0f}" for rate in rates),
        *(value_text(round(time), "ns") for time in times),
    ]


def _masked(shown: CurveShown) -> list[str]:
    return [
        f"masked at depth {one.depth}: {'; '.join(one.masked)}"
        for one in shown.points
        if one.masked
    ]
