"""The panels of a watch: block requests by device, process and size, a heat map, histograms."""

import math
from collections.abc import Iterator

from harness.io.latencies import histogram_log
from harness.io.watch.result import WatchResult
from harness.io.watch.text import HEADS, facts, row_cells
from harness.page.document import fragment
from harness.page.latency_panel import DECADES, Series, latency_panel
from harness.page.latency_panel import STYLE as LATENCY_STYLE
from harness.page.panels import TABLE_STYLE, Panel, StyleSheets
from harness.page.plot import Axis, Box, Figure, Plot, decade_ticks, round_ticks
from ioprobe.watch.histograms import GEOMETRY

_STYLE: StyleSheets = ("harness.io.watch", ("watch.css",))
_MAX_ROWS = 200
_OPACITIES = (0.12, 0.25, 0.4, 0.6, 0.8, 1.0)


def panels(result: WatchResult) -> tuple[Panel, ...]:
    """Return the panels of a watch."""
    tables = (("device", result.rows), ("process", result.processes), ("size", result.sizes))
    markup = fragment(
        "harness.io.watch/panel.html",
        hint=f"measured over {result.seconds:.1f} s with kernel tracepoints",
        heat=_heat_map(result),
        tables=[
            (
                name,
                (name.capitalize(), *HEADS[1:]),
                [row_cells(row, result.seconds) for row in rows[:_MAX_ROWS]],
            )
            for name, rows in tables
        ],
        facts=list(facts(result)),
        warnings=[f"warning: {text}" for text in result.warnings],
    )
    main = Panel(markup, (TABLE_STYLE, LATENCY_STYLE, _STYLE))
    series = list(_series(result))
    if not series:
        return (main,)
    hint = "of the two busiest rows: in the queue and on the device"
    return (main, latency_panel(series, title="Latency", hint=hint))


def _series(result: WatchResult) -> Iterator[Series]:
    """Yield the latency histograms of the two busiest rows."""
    for busy in sorted(result.rows, key=lambda busy: -busy.requests)[:2]:
        histograms = (("on the device", busy.histogram), ("queued", busy.queue_histogram))
        for kind, buckets in histograms:
            if buckets:
                log = histogram_log(buckets, GEOMETRY, result.seconds)
                yield Series(f"{busy.device} {busy.direction}, {kind}", log, counts_requests=False)


def _heat_map(result: WatchResult) -> Figure | None:
    heat = result.heat
    used = [
        row
        for row in range(len(heat.row_edges_ns) - 1)
        if any(column[row] for column in heat.columns)
    ]
    if not used:
        return None
    low, high = heat.row_edges_ns[used[0]], heat.row_edges_ns[used[-1] + 1]
    end_s = heat.column_s * len(heat.columns)
    plot = Plot(
        Axis(0, end_s, "s", round_ticks(end_s, 10)),
        Axis(low, high, "latency", decade_ticks(low, high, DECADES), logarithmic=True),
        "Requests by latency over time",
    )
    maximum = max(max(column) for column in heat.columns)
    caption = (
        "Latency over time, from the first event of a request to its completion. A column is "
        f"{heat.column_s:g} s; the darkest cells hold up to {maximum:,} requests, each lighter "
        "shade a fraction of it"
    )
    return Figure(plot.drawn(*_boxes(result, plot, maximum)), caption)


def _boxes(result: WatchResult, plot: Plot, maximum: int) -> Iterator[Box]:
    heat = result.heat
    for number, column in enumerate(heat.columns):
        for row, count in enumerate(column):
            if not count:
                continue
            share = math.log1p(count) / math.log1p(maximum)
            opacity = _OPACITIES[min(len(_OPACITIES) - 1, int(share * len(_OPACITIES)))]
            low = (number * heat.column_s, heat.row_edges_ns[row])
            high = ((number + 1) * heat.column_s, heat.row_edges_ns[row + 1])
            yield plot.box(low, high, "watch-cell", opacity)
