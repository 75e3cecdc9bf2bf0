"""Requests for a terminal: the verdict, latencies, states, locks and counts of both classes."""

from collections.abc import Iterator

from harness.cli.table import columns, fitting_rows
from harness.cli.terminal import percent, shorten, wrapped
from harness.requests.function_names import place_text
from harness.requests.result import RequestMean, RequestsResult
from harness.requests.verdict import quantile_name
from stallscope.quantities import value_text

MAX_STATES = 12
MAX_PLACE = 60
MIN_NS = 500  # a state below this time per request has no row


def lines(result: RequestsResult, width: int) -> Iterator[str]:
    """Yield the verdict and the tables."""
    yield from wrapped(f"Requests of {result.title}: {summary(result)}", width)
    yield ""
    for sentence in result.verdict:
        yield from wrapped(f"{sentence[:1].upper()}{sentence[1:]}.", width)
    if result.latency_ns is not None:
        yield ""
        yield from _states(result, width)
        yield from _partners(result)
        yield from _locks(result)
        yield ""
        yield from _activities(result)
    if len(result.kinds) > 1:
        yield ""
        yield from _kinds(result)


def summary(result: RequestsResult) -> str:
    """Return the number of requests and the quantiles of their latency."""
    latencies = ", ".join(
        f"{quantile_name(row.share)} {value_text(row.latency_ns, 'ns')}" for row in result.quantiles
    )
    return f"{result.requests:,}" + (f"; {latencies}" if latencies else "")


def class_heads(result: RequestsResult) -> tuple[str, str]:
    """Return the heads of the columns of both classes."""
    slow = f"above {quantile_name(result.slow_quantile)} ({result.slow_requests:,})"
    return slow, f"p40 to p60 ({result.median_requests:,})"


def time_cells(time: RequestMean) -> list[str]:
    """Return both means and the difference with its interval."""
    return [
        value_text(round(time.slow), "ns"),
        value_text(round(time.median), "ns"),
        signed(time.slow - time.median),
        f"{signed(time.difference_low)} to {signed(time.difference_high)}",
    ]


def signed(amount_ns: float) -> str:
    """Return a difference of times with its sign."""
    sign = "-" if round(amount_ns) < 0 else "+"
    return f"{sign}{value_text(abs(round(amount_ns)), 'ns')}"


def share_cell(share: float) -> str:
    """Return a share of the additional latency, which may be negative."""
    return percent(share) if 0 <= share <= 1 else f"{round(100 * share)} %"


def _states(result: RequestsResult, width: int) -> Iterator[str]:
    assert result.latency_ns is not None
    heads = ["Mean per request", *class_heads(result), "difference", "interval of 95 %", "share"]
    rows = [["latency", *time_cells(result.latency_ns), ""]]
    rows_with_time = [
        row
        for row in result.states
        if max(row.time_ns.slow, row.time_ns.median) >= MIN_NS or row.stands_out
    ]
    for row in rows_with_time[:MAX_STATES]:
        mark = "* " if row.stands_out else "  "
        name = mark + row.state.replace("_", " ")
        rows.append([name, *time_cells(row.time_ns), share_cell(row.share)])
    yield from fitting_rows([heads, *rows], width, ["interval of 95 %"])
    places = [
        (row.state, place_text(row.place)) for row in rows_with_time[:MAX_STATES] if row.place
    ]
    if places:
        yield ""
        yield "Place of most of the difference (innermost function first):"
    for state, place in places:
        yield from wrapped(f"  {state.replace('_', ' ')}: {place}", width, "    ")
    if any(row.stands_out for row in rows_with_time):
        yield ""
        yield from wrapped(f"*: {result.rule}", width)


def _partners(result: RequestsResult) -> Iterator[str]:
    if not result.partners:
        return
    heads = ["Waits ended by", *class_heads(result), "difference"]
    yield ""
    yield from columns(
        [
            heads,
            *(
                [
                    shorten(row.name, MAX_PLACE),
                    value_text(round(row.slow_ns), "ns"),
                    value_text(round(row.median_ns), "ns"),
                    signed(row.slow_ns - row.median_ns),
                ]
                for row in result.partners
            ),
        ]
    )


def _locks(result: RequestsResult) -> Iterator[str]:
    if not result.locks:
        return
    yield ""
    yield "Locks that slow requests wait for longer:"
    for lock in result.locks:
        place = f", in {place_text(lock.place)}" if lock.place else ""
        yield (
            f"  {lock.kind} {lock.address}: {value_text(round(lock.slow_ns), 'ns')} in "
            f"{lock.slow_waits:.3g} waits, {value_text(round(lock.median_ns), 'ns')} in "
            f"{lock.median_waits:.3g}{place}"
        )


def activity_title(name: str, source: str) -> str:
    """Return the name of a count for people."""
    note = f" ({source})" if source != "measured" else ""
    return name.replace("_", " ").replace("wake ups", "wake-ups") + note


def _activities(result: RequestsResult) -> Iterator[str]:
    heads = ["Number per request", *class_heads(result)]
    rows = [
        [
            activity_title(row.name, row.source),
            f"{row.count.slow:.3g}",
            f"{row.count.median:.3g}",
        ]
        for row in result.activities
    ]
    yield from columns([heads, *rows])


def _kinds(result: RequestsResult) -> Iterator[str]:
    heads = ["Name", "requests", quantile_name(result.slow_quantile) + "+", "p50", "p99"]
    rows = [
        [
            shorten(kind.name or "(no name)", 32),
            f"{kind.requests:,}",
            f"{kind.slow_requests:,}",
            value_text(kind.p50_ns, "ns"),
            "n/a" if kind.p99_ns is None else value_text(kind.p99_ns, "ns"),
        ]
        for kind in result.kinds
    ]
    yield from columns([heads, *rows])


def note_lines(result: RequestsResult, width: int) -> Iterator[str]:
    """Yield what is left out, and the warnings."""
    for text in (*left_out(result), *result.warnings):
        yield from wrapped(f"warning       {text}", width, " " * 14)


def left_out(result: RequestsResult) -> Iterator[str]:
    """Yield what is left out of the requests, with the reason."""
    marks = result.marks
    for count, text in (
        (marks.unfinished, "requests have no end"),
        (marks.begun_before, "requests began before the recording, or their begin was lost"),
        (marks.outside, "requests began before or ended after the recording"),
        (marks.stray_marks, "marks follow the end of their request"),
    ):
        if count:
            yield f"{count:,} {text}; they are left out"
