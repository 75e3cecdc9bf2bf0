"""The page of the footprint sweep: gain and misses by footprint, gain by batch limit, tables."""

import math
from collections.abc import Mapping, Sequence

from harness.labs.stages.sweep.result import SweepPointRecord, SweepResult
from harness.labs.stages.sweep.text import COLUMNS, cells, heading, size_text
from harness.page.document import fragment
from harness.page.latency_panel import STYLE as PLOT_STYLE
from harness.page.latency_panel import look
from harness.page.panels import CURVE_STYLE, TABLE_STYLE, Head, Panel, render_panels
from harness.page.plot import Axis, Figure, Line, Plot, Tick, round_ticks

_HEADROOM = 1.08
_MARKS = ("L1I", "L2")


def render_page(result: SweepResult, recording_name: str, facts: Mapping[str, str]) -> str:
    """Return the page, to be written as UTF-8: self-contained, without a script."""
    markup = fragment(
        "harness.labs.stages.sweep/panel.html",
        hint=heading(result),
        finding=result.finding,
        notes=result.notes,
        figures=figures(result),
        caches=[f"{name} {size_text(size)}" for name, size in _caches(result)],
        columns=COLUMNS,
        tables=[
            [cells(point) for point in points] for points in (result.footprints, result.batches)
        ],
        simulation=result.simulation or result.simulation_unavailable or "",
    )
    head = Head(
        title="Gain of execution stages by code footprint: codec (synthetic code)",
        recording_name=recording_name,
        about="staged over unstaged, by footprint of code per request",
        source="throughput measured, misses modelled",
        tab="footprint sweep",
    )
    panel = Panel(markup, (PLOT_STYLE, CURVE_STYLE, TABLE_STYLE))
    return render_panels([panel], head, facts)


def figures(result: SweepResult) -> list[Figure]:
    """Return the plots; a plot without points is left out."""
    plots = []
    if result.footprints:
        plots.append(_gain_by_footprint(result))
        if any(point.icache_misses_per_request.unstaged for point in result.footprints):
            plots.append(_misses_by_footprint(result))
    if result.batches:
        plots.append(_gain_by_batch(result.batches))
    return plots


def _caches(result: SweepResult) -> list[tuple[str, int]]:
    sizes = zip(_MARKS, (result.machine.l1i_bytes, result.l2_bytes), strict=True)
    return [(name, size) for name, size in sizes if size is not None]


def _footprint_axis(result: SweepResult) -> Axis:
    sizes = [point.footprint_kb for point in result.footprints]
    ticks = tuple(Tick(size, _kb_text(size)) for size in sizes)
    return _log_axis(sizes, "code per request, KB", ticks)


def _log_axis(values: Sequence[float], title: str, ticks: tuple[Tick, ...]) -> Axis:
    margin = math.sqrt(2)
    return Axis(min(values) / margin, max(values) * margin, title, ticks, logarithmic=True)


def _kb_text(size_kb: int) -> str:
    return f"{size_kb // 1024}M" if size_kb >= 1024 else str(size_kb)


def _gain_axis(points: Sequence[SweepPointRecord]) -> Axis:
    highs = [point.gain.high or 1.0 for point in points]
    top = max([1.1, *highs]) * _HEADROOM
    return Axis(0, top, "staged / unstaged", round_ticks(top))


def _gain_by_footprint(result: SweepResult) -> Figure:
    plot = Plot(_footprint_axis(result), _gain_axis(result.footprints), "Gain by footprint")
    shapes = [*_cache_marks(result, plot), _unit_line(plot)]
    shapes += _gain(plot, [(point.footprint_kb, point) for point in result.footprints])
    return Figure(plot.drawn(*shapes), "Gain by code footprint, measured; intervals over the pairs")


def _gain(plot: Plot, points: Sequence[tuple[float, SweepPointRecord]]) -> list[Line]:
    spans = [
        plot.line([(x, point.gain.low), (x, point.gain.high)], "curve-span")
        for x, point in points
        if point.gain.low is not None and point.gain.high is not None
    ]
    medians = [(x, point.gain.median) for x, point in points if point.gain.median is not None]
    return [*spans, plot.line(medians, look(0))]


def _misses_by_footprint(result: SweepResult) -> Figure:
    points = result.footprints
    most = max(point.icache_misses_per_request.unstaged or 0.0 for point in points) * _HEADROOM
    axis = Axis(0, most, "simulated I1 misses per request", round_ticks(most))
    plot = Plot(_footprint_axis(result), axis, "Simulated misses by footprint")
    lines = [
        plot.line(
            [
                (point.footprint_kb, value)
                for point in points
                if (value := getattr(point.icache_misses_per_request, side)) is not None
            ],
            look(number),
        )
        for number, side in enumerate(("unstaged", "staged"))
    ]
    return Figure(
        plot.drawn(*_cache_marks(result, plot), *lines),
        "Simulated misses (modelled): unstaged (solid) and staged (dashed)",
    )


def _gain_by_batch(points: Sequence[SweepPointRecord]) -> Figure:
    limits = [float(point.max_batch or 1) for point in points]
    ticks = tuple(Tick(limit, f"{limit:.0f}") for limit in limits)
    plot = Plot(_log_axis(limits, "batch limit", ticks), _gain_axis(points), "Gain by batch limit")
    shapes = [_unit_line(plot), *_gain(plot, list(zip(limits, points, strict=True)))]
    footprint = points[0].footprint_kb
    return Figure(plot.drawn(*shapes), f"Gain by batch limit at {footprint} KB, measured")


def _unit_line(plot: Plot) -> Line:
    """Return the line of no gain."""
    return plot.line([(plot.x.low, 1.0), (plot.x.high, 1.0)], "curve-slo")


def _cache_marks(result: SweepResult, plot: Plot) -> list[Line]:
    """Return a vertical line at the size of each cache."""
    return [
        plot.line(
            [(size / 1024, plot.y.low), (size / 1024, plot.y.high)], f"curve-mark mark-{number}"
        )
        for number, (_, size) in enumerate(_caches(result))
    ]
