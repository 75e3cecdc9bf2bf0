"""The panel "Response curve": throughput and latency by depth, and the three depths with a name."""

import math
from collections.abc import Callable, Sequence

from harness.io.curve.result import CurvePoint, CurveResult, named_depths
from harness.page import latency_panel
from harness.page.document import escaped
from harness.page.latency_panel import DECADES, look
from harness.page.panels import Panel
from harness.page.plot import Axis, Plot, Tick, decade_ticks, round_ticks
from ioprobe.engine.points import Latency
from stallscope.printable import visible_text
from stallscope.quantities import value_text

STYLES = (
    (latency_panel.FOLDER, latency_panel.STYLES),
    ("harness.io.curve", ("curve.css",)),
)
_LINES: tuple[tuple[str, Callable[[Latency], float]], ...] = (
    ("p50", lambda latency: latency.p50),
    ("p99", lambda latency: latency.p99),
    ("p99.9", lambda latency: latency.p999),
)
_HEADS = ("Depth", "Requests/s", "least", "most", "mean", "p50", "p90", "p99", "p99.9", "max", "")


def panels(result: CurveResult) -> tuple[Panel, ...]:
    """Return the panel of a curve; every text of the result is escaped."""
    return (Panel(_markup(result), STYLES),)


def _markup(result: CurveResult) -> str:
    accepted = [point for point in result.points if point.ok and point.latency_ns is not None]
    parts = [_findings(result), _depths(result)]
    if len(accepted) > 1:
        plots = _figure(_throughput(result, accepted), "Throughput by requests in flight")
        plots += _figure(_latency(result, accepted), "Latency by requests in flight")
        parts.append(f'<div class="latency-plots">{plots}</div>{_legend()}')
    parts.append(_table(result))
    parts += [_hint(text) for text in (*_masked(result), *result.warnings)]
    parts.append(_hint("; ".join(f"{label}: {text}" for label, text in result.facts.items())))
    return (
        '<section class="panel" id="curve" aria-labelledby="curve-title">'
        '<div class="panel-head"><h2 id="curve-title">Response curve</h2>'
        f'<p class="hint">{_text(result.requests.text)}, {_text(result.source)}'
        f"{'' if result.complete else ', interrupted'}</p></div>"
        f'<div class="latency-body">{"".join(parts)}</div></section>'
    )


def _text(text: str) -> str:
    return escaped(visible_text(text, 400))


def _hint(text: str) -> str:
    return f'<p class="hint">{_text(text)}</p>'


def _findings(result: CurveResult) -> str:
    return "".join(
        f'<p class="curve-finding"><b>{_text(finding.verdict)}</b>: {_text(finding.text)}</p>'
        for finding in result.findings
    )


def _depths(result: CurveResult) -> str:
    items = "".join(
        f'<div class="curve-depth mark-{index}"><dt>{_text(named.name)}</dt>'
        f"<dd><b>{'none' if named.depth is None else named.depth}</b> "
        f"<span>{_text(named.text)}</span></dd></div>"
        for index, named in enumerate(named_depths(result))
    )
    return f'<dl class="curve-depths">{items}</dl>'


def _figure(plot: str, caption: str) -> str:
    return f"<figure>{plot}<figcaption>{caption}</figcaption></figure>"


def _depth_axis(points: Sequence[CurvePoint]) -> Axis:
    low, high = points[0].depth, points[-1].depth
    powers = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)
    step = 1 if len(powers) <= 9 else 2
    ticks = tuple(Tick(1 << power, f"{1 << power}") for power in powers[::step])
    return Axis(low, high, "requests in flight", ticks, logarithmic=True)


def _throughput(result: CurveResult, points: Sequence[CurvePoint]) -> str:
    top = 1.08 * max(point.iops_max or point.iops or 0.0 for point in points)
    y = Axis(0, top, "requests/s", round_ticks(top))
    plot = Plot(_depth_axis(points), y, "Throughput by requests in flight")
    spans = [
        plot.line([(point.depth, point.iops_min), (point.depth, point.iops_max)], "curve-span")
        for point in points
        if point.iops_min is not None and point.iops_max is not None
    ]
    line = plot.line([(point.depth, point.iops or 0.0) for point in points], look(0))
    return plot.drawn(*_marks(result, plot), *spans, line)


def _latency(result: CurveResult, points: Sequence[CurvePoint]) -> str:
    latencies = [
        (point.depth, point.latency_ns) for point in points if point.latency_ns is not None
    ]
    values = [pick(latency) for _, latency in latencies for _, pick in _LINES]
    low = 10.0 ** (math.floor(3 * math.log10(max(1.0, min(values)))) / 3)
    high = 10.0 ** (math.ceil(3 * math.log10(max(10.0, *values))) / 3)
    high = max(high, result.slo_p99_ns or 0.0, 2.2 * low)
    y = Axis(low, high, "latency", decade_ticks(low, high, DECADES), logarithmic=True)
    plot = Plot(_depth_axis(points), y, "Latency by requests in flight")
    lines = [
        plot.line([(depth, pick(latency)) for depth, latency in latencies], look(index))
        for index, (_, pick) in enumerate(_LINES)
    ]
    slo = result.slo_p99_ns
    if slo is not None and slo >= low:
        lines.append(plot.line([(plot.x.low, slo), (plot.x.high, slo)], "curve-slo"))
    return plot.drawn(*_marks(result, plot), *lines)


def _marks(result: CurveResult, plot: Plot) -> list[str]:
    """Return a vertical line for each named depth, in the colour of its entry above."""
    return [
        plot.line(
            [(named.depth, plot.y.low), (named.depth, plot.y.high)], f"curve-mark mark-{index}"
        )
        for index, named in enumerate(named_depths(result))
        if named.depth is not None and named.depth >= plot.x.low
    ]


def _legend() -> str:
    items = "".join(
        f'<li><svg aria-hidden="true"><rect class="plot-swatch {look(index)}" width="12" '
        f'height="12"/></svg>{name}</li>'
        for index, (name, _) in enumerate(_LINES)
    )
    return f'<ul class="latency-legend">{items}</ul>'


def _table(result: CurveResult) -> str:
    heads = "".join(f'<th scope="col" class="number">{name}</th>' for name in _HEADS)
    rows = "".join(
        "<tr>"
        + "".join(f'<td class="number">{escaped(cell)}</td>' for cell in _cells(point))
        + f"<td>{_text(', '.join(result.names_of(point.depth)))}</td></tr>"
        for point in result.points
    )
    return (
        f'<div class="scroll"><table class="curve-table"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _cells(point: CurvePoint) -> list[str]:
    latency = point.latency_ns
    if point.iops is None or latency is None:
        return [str(point.depth), "masked", *["n/a"] * (len(_HEADS) - 3)]
    rates = [point.iops, point.iops_min or point.iops, point.iops_max or point.iops]
    times_ns = [latency.mean, latency.p50, latency.p90, latency.p99, latency.p999, latency.max]
    return [
        str(point.depth),
        *(f"{rate:,.0f}" for rate in rates),
        *(value_text(round(time_ns), "ns") for time_ns in times_ns),
    ]


def _masked(result: CurveResult) -> list[str]:
    return [
        f"masked at depth {point.depth}: {'; '.join(point.masked)}"
        for point in result.points
        if point.masked
    ]
