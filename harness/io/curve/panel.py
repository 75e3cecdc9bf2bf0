"""The panel "Response curve": throughput and latency by depth, and the three depths with a name."""

import math
from collections.abc import Callable, Sequence

from markupsafe import Markup

from harness.io.curve.result import CurvePoint, CurveResult, named_depths
from harness.io.curve.text import HEADS, point_cells
from harness.page.document import fragment
from harness.page.latency_panel import DECADES, look
from harness.page.latency_panel import STYLE as LATENCY_STYLE
from harness.page.panels import CURVE_STYLE, Panel
from harness.page.plot import Axis, Figure, Line, Plot, Tick, decade_ticks, round_ticks
from harness.recordings.results import facts_text
from ioprobe.engine.points import Latency

_LINES: tuple[tuple[str, Callable[[Latency], float]], ...] = (
    ("p50", lambda latency: latency.p50),
    ("p99", lambda latency: latency.p99),
    ("p99.9", lambda latency: latency.p999),
)


def panels(result: CurveResult) -> tuple[Panel, ...]:
    """Return the panel of a curve."""
    accepted = [point for point in result.points if point.ok and point.latency_ns is not None]
    figures = []
    if len(accepted) > 1:
        figures = [
            Figure(_throughput(result, accepted), "Throughput by requests in flight"),
            Figure(_latency(result, accepted), "Latency by requests in flight"),
        ]
    markup = fragment(
        "harness.io.curve/panel.html",
        hint=f"{result.requests.text}, {result.source_text}",
        findings=result.findings,
        depths=named_depths(result),
        figures=figures,
        lines=[name for name, _ in _LINES],
        heads=(*HEADS, ""),
        rows=[
            (point_cells(point), ", ".join(result.names_of(point.depth))) for point in result.points
        ],
        hints=(
            *_masked(result),
            *result.warnings,
            facts_text(result.facts),
        ),
    )
    return (Panel(markup, (LATENCY_STYLE, CURVE_STYLE)),)


def _depth_axis(points: Sequence[CurvePoint]) -> Axis:
    low, high = points[0].depth, points[-1].depth
    powers = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)
    step = 1 if len(powers) <= 9 else 2
    ticks = tuple(Tick(1 << power, f"{1 << power}") for power in powers[::step])
    return Axis(low, high, "requests in flight", ticks, logarithmic=True)


def _throughput(result: CurveResult, points: Sequence[CurvePoint]) -> Markup:
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


def _latency(result: CurveResult, points: Sequence[CurvePoint]) -> Markup:
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


def _marks(result: CurveResult, plot: Plot) -> list[Line]:
    """Return a vertical line for each named depth, in the colour of its entry above."""
    return [
        plot.line(
            [(named.depth, plot.y.low), (named.depth, plot.y.high)], f"curve-mark mark-{index}"
        )
        for index, named in enumerate(named_depths(result))
        if named.depth is not None and named.depth >= plot.x.low
    ]


def _masked(result: CurveResult) -> list[str]:
    return [
        f"masked at depth {point.depth}: {'; '.join(point.masked)}"
        for point in result.points
        if point.masked
    ]
