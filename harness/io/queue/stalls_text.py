"""Submission stalls and their causes as text, for the terminal and the page."""

from collections.abc import Iterator

from harness.cli.terminal import percent, wrapped
from harness.io.queue.result import QueueResult
from ioprobe.block_queue.stalls import (
    ProcessStalls,
    QueueOccupancy,
    StallCause,
    SubmissionStalls,
)
from stallscope.quantities import microseconds_text

_MAX_PROCESSES = 8


def stalls_lines(result: QueueResult, width: int) -> Iterator[str]:
    """Yield the submission stalls of the processes that used the devices."""
    stalls = result.stalls
    if stalls is None:
        yield from wrapped(f"Submission stalls: not measured: {result.stalls_missing}", width, "  ")
        return
    yield from wrapped(stalls_title(stalls, result.interval_s or 0.0), width, "  ")
    for process in main_processes(stalls):
        text = _process_text(process, stalls.occupancy)
        yield from (f"  {line}" for line in wrapped(text, width - 2, "  "))
    for text in stalls_notes(stalls):
        yield from wrapped(f"  {text}", width, "  ")


def main_processes(stalls: SubmissionStalls) -> tuple[ProcessStalls, ...]:
    """Return the first processes with submissions or punts."""
    busy = [process for process in stalls.processes if process.calls or process.punts]
    return tuple(busy[:_MAX_PROCESSES])


def stalls_notes(stalls: SubmissionStalls) -> Iterator[str]:
    """Yield notes on processes that are not listed, and on missing and lost events."""
    others = len(stalls.processes) - len(main_processes(stalls))
    if others:
        yield f"{others} more processes used plain reads and writes, which always wait."
    yield from stalls.missing
    if stalls.lost_events:
        yield f"{stalls.lost_events:,} events were lost: the counts are too low."
    if stalls.lost_events is None:
        yield "The number of lost events is unknown: the counts may be too low."


def stalls_title(stalls: SubmissionStalls, seconds: float) -> str:
    """Return the interval and the occupancy of the queue."""
    occupancy = stalls.occupancy
    text = f"Submission stalls in {seconds:.3g} s"
    if occupancy.max_in_flight is not None and occupancy.limit is not None:
        text += (
            f" (up to {occupancy.max_in_flight:,} requests in flight, nr_requests "
            f"{occupancy.limit:,})"
        )
    return f"{text}: {'no process used the device' if not stalls.processes else ''}".rstrip(" ")


def _process_text(process: ProcessStalls, occupancy: QueueOccupancy) -> str:
    parts = []
    if process.submitted:
        share = percent(process.punt_share or 0.0)
        parts.append(
            f"{process.punts:,} of {process.submitted:,} requests passed to workers ({share})"
        )
    if process.calls:
        p50, p99, maximum = (
            microseconds_text(None if time_ns is None else time_ns / 1000)
            for time_ns in (process.submit_p50_ns, process.submit_p99_ns, process.submit_max_ns)
        )
        parts.append(
            f"{process.blocked_calls:,} of {process.calls:,} submitting calls slept "
            f"({percent(process.blocked_share or 0.0)}); duration of calls: p50 {p50}, p99 {p99}, "
            f"max {maximum}"
        )
    text = f"{process.name} ({process.pid}): {'; '.join(parts)}."
    return (
        text if process.cause is None else f"{text} Cause: {cause_text(process.cause, occupancy)}"
    )


def cause_text(cause: StallCause, occupancy: QueueOccupancy) -> str:
    """Return the cause of waits in submission, and a remedy."""
    if cause is StallCause.OVER_NR_REQUESTS:
        limit = "a limited number of" if occupancy.limit is None else f"{occupancy.limit:,}"
        return (
            f"over nr_requests: the queue accepts {limit} requests and was full; keep fewer in "
            "flight, or raise nr_requests"
        )
    if cause is StallCause.APPENDING:
        return (
            "appending: direct writes beyond the end of the file always wait for the filesystem; "
            "write the file's blocks once beforehand"
        )
    if cause is StallCause.OPERATION:
        return "operations that io_uring always passes to workers, such as fsync and open"
    return (
        "the filesystem: the queue was not full in any sample, so allocation, the journal or "
        "locks made the calls wait"
    )
