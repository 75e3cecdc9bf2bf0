"""Metrics of waits and requests: wall time by state, locks, causes, latency of requests."""

from typing import TYPE_CHECKING

from harness.export.metrics.metric import MetricFamily, MetricKind, MetricTable
from stallscope.recordings import Recording

if TYPE_CHECKING:
    from harness.requests.result import RequestsResult
    from harness.waits.result import WaitsResult

WALL = MetricFamily("waits_wall_seconds", "Wall time of all threads.", unit="s")
STATE = MetricFamily("waits_state_seconds", "Wall time of all threads by state.", unit="s")
GROUP = MetricFamily(
    "waits_group_state_seconds", "Wall time by state of threads with similar names.", unit="s"
)
UNATTRIBUTED = MetricFamily(
    "waits_unattributed_ratio",
    "Share of wall time in the states other and unknown, 0..1.",
    MetricKind.GAUGE,
    "1",
)
LOCK = MetricFamily(
    "lock_wait_seconds", "Time in waits for locks, by the function that waits most.", unit="s"
)
LOCK_WAITS = MetricFamily("lock_waits", "Waits for locks, by the function that waits most.")
CAUSE = MetricFamily("wait_cause_seconds", "Time in waits by the cause at their end.", unit="s")
QUEUE_USER = MetricFamily(
    "run_queue_user_seconds",
    "CPU time of others while threads were in the run queue of their CPU.",
    unit="s",
)
REQUESTS = MetricFamily("requests", "Requests that began and ended in the recording.")
SLOW = MetricFamily("requests_slow", "Requests above the limit of slow requests.")
REQUEST_QUANTILE = MetricFamily(
    "request_latency_quantile_seconds",
    "Latency that this share of the requests does not exceed.",
    MetricKind.GAUGE,
    "s",
)
REQUEST_STATE = MetricFamily(
    "request_state_mean_seconds",
    "Mean time per request in a state, of slow requests and of median ones.",
    MetricKind.GAUGE,
    "s",
)


def add_waits(table: MetricTable, recording: Recording, top: int) -> None:
    """Add the metrics of a recording of waits."""
    from harness.waits.session import result_with_page  # noqa: PLC0415 - of one kind only

    add_waits_result(table, result_with_page(recording, with_page=False), top)


def add_requests(table: MetricTable, recording: Recording) -> None:
    """Add the metrics of a recording with marks of requests."""
    from harness.requests.session import result_with_page  # noqa: PLC0415 - of one kind only

    add_requests_result(table, result_with_page(recording, with_page=False))


def add_waits_result(table: MetricTable, result: "WaitsResult", top: int) -> None:
    """Add the metrics of a document, with the ``top`` groups, locks, causes and other processes."""
    table.add(WALL, result.wall_ns / 1e9)
    table.add(UNATTRIBUTED, result.unattributed_share)
    for thread in result.threads:
        for state, time_ns in thread.states_ns.items():
            table.add(STATE, time_ns / 1e9, state=state)
    for group in result.groups[:top]:
        for state, time_ns in group.states_ns.items():
            table.add(GROUP, time_ns / 1e9, process=group.process, group=group.name, state=state)
    for lock in result.locks[:top]:
        labels = {"kind": lock.kind, "function": lock.callers[0].function if lock.callers else ""}
        table.add(LOCK, lock.wait_ns / 1e9, **labels)
        table.add(LOCK_WAITS, lock.waits, **labels)
    for cause in result.causes[:top]:
        table.add(CAUSE, cause.wait_ns / 1e9, kind=cause.kind, name=cause.name)
    for user in result.run_queue[:top]:
        table.add(QUEUE_USER, user.time_ns / 1e9, kind=user.kind, name=user.name)
    table.note_left_out("groups of threads", len(result.groups) - top)
    table.note_left_out("locks", len(result.locks) - top)
    table.note_left_out("causes", len(result.causes) - top)
    table.note_left_out("users of the run queue", len(result.run_queue) - top)


def add_requests_result(table: MetricTable, result: "RequestsResult") -> None:
    """Add the metrics of a document."""
    table.add(REQUESTS, result.requests)
    table.add(SLOW, result.slow_requests)
    for quantile in result.quantiles:
        table.add(REQUEST_QUANTILE, quantile.latency_ns / 1e9, quantile=str(quantile.share))
    for state in result.states:
        table.add(REQUEST_STATE, state.time_ns.slow / 1e9, state=state.state, requests="slow")
        table.add(REQUEST_STATE, state.time_ns.median / 1e9, state=state.state, requests="median")
