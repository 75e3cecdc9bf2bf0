"""What `stallscope io queue --interval` saw, and how it is said: stalls and their causes."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from harness.cli.terminal import percent, wrapped
from ioprobe.block_queue.activity import ActivityInterval
from ioprobe.block_queue.stalls import ProcessStalls, QueueOccupancy, StallCause, SubmissionStalls
from stallscope.quantities import microseconds_text

_MOST_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Watched:
    """What was seen over the interval; why stalls could not be looked for, where they could not.

    ``interrupted``: Ctrl-C ended the interval before its time.
    """

    interval: ActivityInterval
    stalls: SubmissionStalls | None
    stalls_missing: str | None
    interrupted: bool = False


def stalls_document(watched: Watched | None) -> dict[str, object] | None:
    """Return the stalls as JSON takes them; None where they were not looked for."""
    stalls = watched.stalls if watched else None
    if stalls is None:
        return None
    return {
        "nr_requests": stalls.occupancy.limit,
        "most_in_flight": stalls.occupancy.max_in_flight,
        "lost_events": stalls.lost_events,
        "cpu_s": stalls.cpu_s,
        "missing": stalls.missing,
        "processes": [
            asdict(each) | {"punt_share": each.punt_share, "blocked_share": each.blocked_share}
            for each in stalls.processes
        ],
    }


def stalls_lines(watched: Watched, room: int) -> Iterator[str]:
    """Yield what submitting cost the processes that used the devices."""
    stalls = watched.stalls
    if stalls is None:
        yield from wrapped(f"Submission stalls: not told: {watched.stalls_missing}", room, "  ")
        return
    yield from wrapped(stalls_head(stalls, watched.interval.seconds), room, "  ")
    for each in telling(stalls):
        yield from (
            f"  {line}" for line in wrapped(_process(each, stalls.occupancy), room - 2, "  ")
        )
    for text in stalls_notes(stalls):
        yield from wrapped(f"  {text}", room, "  ")


def telling(stalls: SubmissionStalls) -> tuple[ProcessStalls, ...]:
    """Return the processes of which there is something to say, not too many."""
    return tuple(each for each in stalls.processes if each.calls or each.punts)[:_MOST_SHOWN]


def stalls_notes(stalls: SubmissionStalls) -> Iterator[str]:
    """Yield what a reader must know of the stalls that are told."""
    others = len(stalls.processes) - len(telling(stalls))
    if others:
        yield f"{others} more: by plain reads and writes, which always wait, or of the kernel."
    yield from stalls.missing
    if stalls.lost_events:
        yield f"{stalls.lost_events:,} events were lost: there was more than is told."
    if stalls.lost_events is None:
        yield "The kernel did not tell how many events it lost: there may be more than is told."


def stalls_head(stalls: SubmissionStalls, seconds: float) -> str:
    """Return what was looked at, and how full the queue was seen."""
    flight = stalls.occupancy.max_in_flight
    text = f"Submission stalls in {seconds:.3g} s"
    if flight is not None and stalls.occupancy.limit is not None:
        text += f" (at most {flight:,} in flight seen, nr_requests {stalls.occupancy.limit:,})"
    return f"{text}: {'none used the device' if not stalls.processes else ''}".rstrip(" ")


def _process(found: ProcessStalls, occupancy: QueueOccupancy) -> str:
    parts = []
    if found.submitted:
        share = percent(found.punt_share or 0.0)
        parts.append(f"{found.punts:,} of {found.submitted:,} requests punted to workers ({share})")
    if found.calls:
        p50, p99, most = (
            microseconds_text(None if value is None else value / 1000)
            for value in (found.submit_p50_ns, found.submit_p99_ns, found.submit_max_ns)
        )
        parts.append(
            f"{found.blocked_calls:,} of {found.calls:,} submitting calls slept "
            f"({percent(found.blocked_share or 0.0)}); they took p50 {p50}, p99 {p99}, max {most}"
        )
    text = f"{found.name} ({found.pid}): {'; '.join(parts)}."
    return text if found.cause is None else f"{text} Cause: {cause_text(found.cause, occupancy)}"


def cause_text(cause: StallCause, occupancy: QueueOccupancy) -> str:
    """Return why submitting waited, and what to do."""
    if cause is StallCause.OVER_NR_REQUESTS:
        return (
            f"over nr_requests: the queue takes {occupancy.limit:,} requests and was full; keep "
            "fewer in flight, or raise nr_requests"
        )
    if cause is StallCause.APPENDING:
        return (
            "appending: direct writes beyond the file's end always wait for the filesystem; "
            "write the file's blocks once beforehand"
        )
    if cause is StallCause.OPERATION:
        return "operations that io_uring always gives to workers, as fsync and open"
    return (
        "the filesystem: the queue was not full when looked at, so its allocation, journal or "
        "locks made the calls wait"
    )
