"""The panels of a watch: block requests by device, process and size, a heat map, histograms."""

import math
from collections.abc import Iterator, Sequence

from harness.io.latencies import histogram_log
from harness.io.watch.result import RequestRow, WatchResult
from harness.io.watch.text import HEADS, facts, row_cells
from harness.page import latency_panel
from harness.page.document import escaped
from harness.page.latency_panel import DECADES, Series
from harness.page.panels import Panel
from harness.page.plot import Axis, Plot, decade_ticks, round_ticks
from harness.page.tables import TABLE_STYLES, facts_list, panel, row, table
from ioprobe.watch.histograms import GEOMETRY
from stallscope.printable import visible_text

STYLES = (
    TABLE_STYLES,
    (latency_panel.FOLDER, latency_panel.STYLES),
    ("harness.io.watch", ("watch.css",)),
)
_MAX_ROWS = 200
_OPACITIES = (0.12, 0.25, 0.4, 0.6, 0.8, 1.0)


def panels(result: WatchResult) -> tuple[Panel, ...]:
    """Return the panels of a watch; every text of the result is escaped."""
    main = Panel(_markup(result), STYLES)
    series = list(_series(result))
    if not series:
        return (main,)
    plots = latency_panel.latency_panel(
        series, title="Latency", hint="of the two busiest rows: in the queue and on the device"
    )
    return (main, Panel(plots, [(latency_panel.FOLDER, latency_panel.STYLES)]))


def _markup(result: WatchResult) -> str:
    tables = (("Device", result.rows), ("Process", result.processes), ("Size", result.sizes))
    body = [_heat_map(result)]
    body += [part for head, rows in tables for part in _table(head, rows, result.seconds)]
    body.append("<h3>Facts</h3>")
    body.append(facts_list(facts(result)))
    body += [f"<p>warning: {escaped(visible_text(text, 400))}</p>" for text in result.warnings]
    hint = escaped(f"measured over {result.seconds:.1f} s with kernel tracepoints")
    return panel("watch", "Block requests", hint, "".join(body))


def _table(head: str, rows: Sequence[RequestRow], seconds: float) -> Iterator[str]:
    if not rows:
        return
    yield f"<h3>By {head.lower()}</h3>"
    cells = (
        row([visible_text(cell, 100) for cell in row_cells(request_row, seconds)])
        for request_row in rows[:_MAX_ROWS]
    )
    yield table((head, *HEADS[1:]), cells)


def _series(result: WatchResult) -> Iterator[Series]:
    """Yield the latency histograms of the two busiest rows."""
    for busy in sorted(result.rows, key=lambda busy: -busy.requests)[:2]:
        histograms = (("on the device", busy.histogram), ("queued", busy.queue_histogram))
        for kind, buckets in histograms:
            if buckets:
                log = histogram_log(buckets, GEOMETRY, result.seconds)
                yield Series(f"{busy.device} {busy.direction}, {kind}", log, counts_requests=False)


def _heat_map(result: WatchResult) -> str:
    heat = result.heat
    used = [
        place
        for place in range(len(heat.row_edges_ns) - 1)
        if any(column[place] for column in heat.columns)
    ]
    if not used:
        return "<p>No request completed.</p>"
    low, high = heat.row_edges_ns[used[0]], heat.row_edges_ns[used[-1] + 1]
    end_s = heat.column_s * len(heat.columns)
    plot = Plot(
        Axis(0, end_s, "s", round_ticks(end_s, 10)),
        Axis(low, high, "latency", decade_ticks(low, high, DECADES), logarithmic=True),
        "Requests by latency over time",
    )
    maximum = max(max(column) for column in heat.columns)
    cells = "".join(_cells(result, plot, maximum))
    caption = (
        "Latency over time, from the first event of a request to its completion. A column is "
        f"{heat.column_s:g} s; the darkest cells hold up to {maximum:,} requests, each lighter "
        "shade a fraction of it"
    )
    return (
        f'<figure class="watch-heat">{plot.drawn(cells)}'
        f"<figcaption>{escaped(caption)}</figcaption></figure>"
    )


def _cells(result: WatchResult, plot: Plot, maximum: int) -> Iterator[str]:
    heat = result.heat
    for number, column in enumerate(heat.columns):
        for place, count in enumerate(column):
            if not count:
                continue
            left, bottom = plot.point(number * heat.column_s, heat.row_edges_ns[place])
            right, top = plot.point((number + 1) * heat.column_s, heat.row_edges_ns[place + 1])
            share = math.log1p(count) / math.log1p(maximum)
            opacity = _OPACITIES[min(len(_OPACITIES) - 1, int(share * len(_OPACITIES)))]
            yield (
                f'<rect class="watch-cell" x="{left:.1f}" y="{top:.1f}" '
                f'width="{right - left:.2f}" height="{bottom - top:.2f}" fill-opacity="{opacity}"/>'
            )
