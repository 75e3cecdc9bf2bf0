"""The panels of a watch: block requests by device, process and size, a heat map, histograms."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from harness.io.watch.shown import RowShown, WatchShown
from harness.io.watch.text import HEADS, cells_of
from harness.page import latency_panel
from harness.page.document import escaped
from harness.page.latency_panel import DECADES, Series
from harness.page.panels import Panel
from harness.page.plot import Axis, Plot, decade_ticks, round_ticks
from harness.page.tables import TABLE_STYLES, facts_list, panel, row, table
from ioprobe.watch.histograms import GEOMETRY
from stallscope.histograms import Histogram, Interval, IntervalLog
from stallscope.printable import visible_text

_MOST_ROWS = 200
_OPACITIES = (0.12, 0.25, 0.4, 0.6, 0.8, 1.0)


def watch_panels(shown: WatchShown) -> list[Panel]:
    """Return the panels; every text is taken for a stranger's."""
    tables = (("Device", shown.rows), ("Process", shown.processes), ("Size", shown.sizes))
    body = [_heat(shown)]
    body += [part for head, rows in tables for part in _table(head, rows, shown.seconds)]
    body.append("<h3>What to know</h3>")
    body.append(facts_list(shown.facts))
    body += [f"<p>warning: {escaped(visible_text(text, 400))}</p>" for text in shown.warnings]
    hint = escaped(f"measured over {shown.seconds:.1f} s, by the kernel's tracepoints")
    main = Panel(
        panel("watch", "Block requests", hint, "".join(body)),
        [
            TABLE_STYLES,
            (latency_panel.FOLDER, latency_panel.STYLES),
            ("harness.io.watch", ("watch.css",)),
        ],
    )
    series = list(_series(shown))
    if not series:
        return [main]
    times = latency_panel.latency_panel(
        series, title="Latency", hint="of the busiest: from insertion to issue, and from there on"
    )
    return [main, Panel(times, [(latency_panel.FOLDER, latency_panel.STYLES)])]


def _table(head: str, rows: Sequence[RowShown], seconds: float) -> Iterator[str]:
    if not rows:
        return
    yield f"<h3>By {head.lower()}</h3>"
    cells = (
        [visible_text(cell, 100) for cell in cells_of(each, seconds)] for each in rows[:_MOST_ROWS]
    )
    yield table((head, *HEADS[1:]), (row(each, "") for each in cells))


def _series(shown: WatchShown) -> Iterator[Series]:
    """Yield the two busiest rows' times as the latency panel draws them."""
    for each in sorted(shown.rows, key=lambda one: -one.requests)[:2]:
        for what, buckets in (("on the device", each.buckets), ("queued", each.queue_buckets)):
            if buckets:
                low = np.array([bucket[0] for bucket in buckets], np.int64)
                counts = np.zeros(int(GEOMETRY.places(low).max()) + 1, np.int64)
                np.add.at(counts, GEOMETRY.places(low), [bucket[2] for bucket in buckets])
                log = IntervalLog((Interval(0, shown.seconds, Histogram(GEOMETRY, counts)),))
                yield Series(f"{each.device} {each.direction}, {what}", log, counts_requests=False)


def _heat(shown: WatchShown) -> str:
    heat = shown.heat
    used = [at for at in range(len(heat.edges_ns) - 1) if any(each[at] for each in heat.columns)]
    if not used:
        return "<p>No request completed.</p>"
    low, high = heat.edges_ns[used[0]], heat.edges_ns[used[-1] + 1]
    end_s = heat.column_s * len(heat.columns)
    plot = Plot(
        Axis(0, end_s, "s", round_ticks(end_s, 10)),
        Axis(low, high, "latency", decade_ticks(low, high, DECADES), logarithmic=True),
        "Requests by latency over time",
    )
    most = max(max(column) for column in heat.columns)
    cells = "".join(_cells(shown, plot, most))
    caption = (
        "Latency over time, from the first that was seen of a request to its completion: each "
        f"column {heat.column_s:g} s; the darkest cells hold up to {most:,} requests, each step "
        "lighter a fraction of it"
    )
    return (
        f'<figure class="watch-heat">{plot.drawn(cells)}'
        f"<figcaption>{escaped(caption)}</figcaption></figure>"
    )


def _cells(shown: WatchShown, plot: Plot, most: int) -> Iterator[str]:
    heat = shown.heat
    for number, column in enumerate(heat.columns):
        for at, count in enumerate(column):
            if not count:
                continue
            left, bottom = plot.point(number * heat.column_s, heat.edges_ns[at])
            right, top = plot.point((number + 1) * heat.column_s, heat.edges_ns[at + 1])
            share = math.log1p(count) / math.log1p(most)
            step = _OPACITIES[min(len(_OPACITIES) - 1, int(share * len(_OPACITIES)))]
            yield (
                f'<rect class="watch-cell" x="{left:.1f}" y="{top:.1f}" '
                f'width="{right - left:.2f}" height="{bottom - top:.2f}" fill-opacity="{step}"/>'
            )
