"""The panel "Over time": the same round without a limit and with the recommended one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from harness.labs.storm.result import StormResult, StormRow
from harness.page.document import fragment
from harness.page.latency_panel import STYLE as LATENCY_STYLE
from harness.page.latency_panel import look
from harness.page.panels import Panel
from harness.page.plot import Axis, Figure, Plot, round_ticks
from ioprobe.storm import StormPoint


@dataclass(frozen=True, slots=True)
class _Quantity:
    """A value over time; quantities with equal names have equal axes."""

    title: str
    name: str
    of: Callable[[StormPoint], float | None]


_QUANTITIES = (
    _Quantity("Replies per second", "replies/s", lambda point: point.replies_per_s),
    _Quantity(
        "Share of time that CPUs were idle and waited for I/O",
        "iowait, %",
        lambda point: None if point.iowait_share is None else 100 * point.iowait_share,
    ),
    _Quantity("Requests that wait in our queue", "requests", lambda point: point.queued),
    _Quantity(
        "Requests below our queue: in the kernel and the device",
        "requests",
        lambda point: point.below,
    ),
)


def series_panels(result: StormResult) -> tuple[Panel, ...]:
    """Return the panel of the compared rows over time; none if they were not sampled."""
    rows = compared_rows(result)
    if not rows:
        return ()
    rounds = " and ".join(str(n + 1) for n in sorted({row.series_round or 0 for row in rows}))
    hint = f"One run of each setting, of round {rounds}; a point is the mean since the last point."
    rejected = [result.row_name(row) for row in rows if not row.rounds]
    warning = f"No run passed its checks: {', '.join(rejected)}. The shown run failed them too."
    markup = fragment(
        "harness.labs.storm/series_panel.html",
        hint=result.source_text,
        names=[result.row_name(row) for row in rows],
        figures=[Figure(_plot(rows, quantity), quantity.title) for quantity in _QUANTITIES],
        hints=(hint, warning if rejected else ""),
    )
    return (Panel(markup, (LATENCY_STYLE,)),)


def compared_rows(result: StormResult) -> list[StormRow]:
    """Return the sampled rows of the reference and of the recommended limit, in this order."""
    limits = dict.fromkeys((result.against, result.recommended.limit))
    return [row for limit in limits for row in result.rows if row.limit == limit and row.series]


def _plot(rows: Sequence[StormRow], quantity: _Quantity) -> Markup:
    on_this_axis = [other for other in _QUANTITIES if other.name == quantity.name]
    values = [value for row in rows for other in on_this_axis for _, value in _points(row, other)]
    end_s = max(point.t_s for row in rows for point in row.series)
    top = 1.08 * max(values, default=0.0) or 1.0
    plot = Plot(
        Axis(0, end_s, "time, s", round_ticks(end_s)),
        Axis(0, top, quantity.name, round_ticks(top)),
        quantity.title,
    )
    lines = (plot.line(_points(row, quantity), look(index)) for index, row in enumerate(rows))
    return plot.drawn(*lines)


def _points(row: StormRow, quantity: _Quantity) -> list[tuple[float, float]]:
    return [(point.t_s, value) for point in row.series if (value := quantity.of(point)) is not None]
