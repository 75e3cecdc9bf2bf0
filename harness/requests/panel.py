"""The panel "Requests" of a page: the verdict and the tables of both classes."""

from harness.page.document import fragment
from harness.page.panels import TABLE_STYLE, Panel
from harness.requests.function_names import place_text
from harness.requests.result import RequestsResult
from harness.requests.text import (
    activity_title,
    class_heads,
    left_out,
    share_cell,
    signed,
    summary,
    time_cells,
)
from stallscope.printable import visible_text
from stallscope.quantities import value_text

MAX_NAME = 100
MAX_STACKS = 20


def requests_panel(result: RequestsResult) -> Panel:
    """Return the panel; its size is bounded."""
    slow, median = class_heads(result)
    states = []
    if result.latency_ns is not None:
        states.append(("latency", *time_cells(result.latency_ns), "", ""))
    for row in result.states:
        name = row.state.replace("_", " ") + (" *" if row.stands_out else "")
        place = visible_text(place_text(row.place), MAX_NAME)
        states.append((name, *time_cells(row.time_ns), share_cell(row.share), place))
    markup = fragment(
        "harness.requests/panel.html",
        facts=[("requests", summary(result))],
        verdict=result.verdict,
        state_heads=("Mean per request", slow, median, "Difference", "95 %", "Share", "Place"),
        states=states,
        class_heads=(slow, median),
        partners=[
            (
                visible_text(row.name, MAX_NAME),
                value_text(round(row.slow_ns), "ns"),
                value_text(round(row.median_ns), "ns"),
                signed(row.slow_ns - row.median_ns),
            )
            for row in result.partners
        ],
        locks=[
            (
                f"{lock.kind} {lock.address}",
                value_text(round(lock.slow_ns), "ns"),
                value_text(round(lock.median_ns), "ns"),
                visible_text(place_text(lock.place), MAX_NAME),
            )
            for lock in result.locks
        ],
        stacks=[
            (
                visible_text(place_text(row.chain), MAX_NAME),
                row.state.replace("_", " "),
                value_text(round(row.slow_ns), "ns"),
                value_text(round(row.median_ns), "ns"),
            )
            for row in result.stacks[:MAX_STACKS]
        ],
        activities=[
            (
                activity_title(row.name, row.source),
                f"{row.count.slow:.3g}",
                f"{row.count.median:.3g}",
            )
            for row in result.activities
        ],
        kinds=[
            (
                visible_text(kind.name or "(no name)", MAX_NAME),
                f"{kind.requests:,}",
                f"{kind.slow_requests:,}",
                value_text(kind.p50_ns, "ns"),
                "n/a" if kind.p99_ns is None else value_text(kind.p99_ns, "ns"),
            )
            for kind in result.kinds
        ],
        hints=(result.rule, *left_out(result)),
        warnings=result.warnings,
    )
    return Panel(markup, (TABLE_STYLE,))
