"""The panel "Over time": the same round without a limit and with the recommended one."""

from collections.abc import Callable, Sequence

from markupsafe import Markup

from harness.labs.storm.result import StormResult, StormRow
from harness.page.document import fragment
from harness.page.latency_panel import STYLE as LATENCY_STYLE
from harness.page.latency_panel import look
from harness.page.panels import Panel
from harness.page.plot import Axis, Figure, Plot, round_ticks
from ioprobe.storm import StormPoint

_Quantity = Callable[[StormPoint], float | None]
QUANTITIES: dict[str, tuple[str, _Quantity]] = {
    "Replies per second": ("replies/s", lambda point: point.replies_per_s),
    "Share of time that CPUs were idle and waited for I/O": (
        "iowait, %",
        lambda point: None if point.iowait_share is None else 100 * point.iowait_share,
    ),
    "Requests that wait in our queue": ("in our queue", lambda point: point.queued),
    "Requests below our queue: in the kernel and the device": (
        "below it",
        lambda point: point.below,
    ),
}


def series_panels(result: StormResult) -> tuple[Panel, ...]:
    """Return the panel of the compared rows over time; none if they were not sampled."""
    rows = compared_rows(result)
    if not rows:
        return ()
    rounds = " and ".join(str(n + 1) for n in sorted({row.series_round or 0 for row in rows}))
    hint = (
        f"One run of each setting, of round {rounds}; a point is the mean since the point before."
    )
    markup = fragment(
        "harness.labs.storm/series_panel.html",
        hint=result.source_text,
        names=[result.row_name(row) for row in rows],
        figures=[
            Figure(_plot(rows, title, name, quantity), title)
            for title, (name, quantity) in QUANTITIES.items()
        ],
        hints=(hint,),
    )
    return (Panel(markup, (LATENCY_STYLE,)),)


def compared_rows(result: StormResult) -> list[StormRow]:
    """Return the sampled rows of the reference and of the recommended limit, in this order."""
    limits = dict.fromkeys((result.against, result.recommended.limit))
    return [row for limit in limits for row in result.rows if row.limit == limit and row.series]


def _plot(rows: Sequence[StormRow], title: str, name: str, quantity: _Quantity) -> Markup:
    series = [
        [(point.t_s, value) for point in row.series if (value := quantity(point)) is not None]
        for row in rows
    ]
    end_s = max((t_s for points in series for t_s, _ in points), default=0.0) or 1.0
    top = 1.08 * max((value for points in series for _, value in points), default=0.0) or 1.0
    plot = Plot(
        Axis(0, end_s, "time, s", round_ticks(end_s)), Axis(0, top, name, round_ticks(top)), title
    )
    return plot.drawn(*(plot.line(points, look(index)) for index, points in enumerate(series)))
