"""Submission stalls: requests that io_uring passes to worker threads, and calls that block.

The data come from tracepoints. io_uring:io_uring_queue_async_work over io_uring_submit_req gives
the share of punts. A submission lasts from the entry of io_uring_enter or io_submit to its exit, or
to its wait for completions. A call during which the thread slept uninterruptibly has blocked.
"""

import dataclasses
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from stallscope.documents import Amount, Count, Integer, Record, Share
from stallscope.statistics.quantiles import nearest_rank

# io_uring's opcodes of reads and writes, include/uapi/linux/io_uring.h
READS = frozenset({1, 4, 22, 49, 58})
WRITES = frozenset({2, 5, 23, 59})
_KEPT_BITS = 7  # of a counted time: a resolution of 0.8 %


class StallCause(StrEnum):
    """Cause of waits in submission."""

    OVER_NR_REQUESTS = "over nr_requests"
    APPENDING = "appending"
    OPERATION = "operation"  # an operation that io_uring always punts: fsync, openat
    FILESYSTEM = "filesystem"


@dataclass(slots=True)
class ThreadCounts:
    """Counts of one thread; filled by SubmissionCounter."""

    name: str = ""
    bios: int = 0  # to the traced devices
    submitted: int = 0
    submitted_writes: int = 0
    punts: Counter[int] = dataclasses.field(default_factory=Counter)  # by opcode
    direct_writes: int = 0
    appends: int = 0
    calls: int = 0
    blocked_calls: int = 0
    blocked_ns: int = 0
    submit_ns: Counter[int] = dataclasses.field(default_factory=Counter)  # times, rounded down
    entered_ns: int | None = None
    is_blocked: bool = False

    def add(self, other: "ThreadCounts") -> None:
        """Add the counts of another thread of the same process."""
        self.bios += other.bios
        self.submitted += other.submitted
        self.submitted_writes += other.submitted_writes
        self.punts.update(other.punts)
        self.direct_writes += other.direct_writes
        self.appends += other.appends
        self.calls += other.calls
        self.blocked_calls += other.blocked_calls
        self.blocked_ns += other.blocked_ns
        self.submit_ns.update(other.submit_ns)


class SubmissionCounter:
    """Counts by thread; receives the events of all CPUs in order of time."""

    def __init__(self) -> None:
        self.threads: dict[int, ThreadCounts] = {}

    def _thread(self, tid: int) -> ThreadCounts:
        thread = self.threads.get(tid)
        if thread is None:
            thread = self.threads[tid] = ThreadCounts()
        return thread

    def bio(self, tid: int, name: str) -> None:
        """Count a bio that a thread queued to one of the devices."""
        thread = self._thread(tid)
        thread.name = name
        thread.bios += 1

    def submitted(self, tid: int, opcode: int) -> None:
        """Count a request that a thread submitted to io_uring."""
        thread = self._thread(tid)
        thread.submitted += 1
        thread.submitted_writes += opcode in WRITES

    def punted(self, tid: int, opcode: int) -> None:
        """Count a request that io_uring passed to a worker thread."""
        self._thread(tid).punts[opcode] += 1

    def direct_write(self, tid: int, *, appends: bool) -> None:
        """Count a direct write to a file."""
        thread = self._thread(tid)
        thread.direct_writes += 1
        thread.appends += appends

    def entered(self, tid: int, t_ns: int) -> None:
        """Note the entry of a submitting call."""
        thread = self._thread(tid)
        thread.entered_ns, thread.is_blocked = t_ns, False

    def blocked(self, tid: int) -> None:
        """Record that a thread has entered uninterruptible sleep."""
        thread = self.threads.get(tid)
        if thread is not None and thread.entered_ns is not None:
            thread.is_blocked = True

    def left(self, tid: int, t_ns: int) -> None:
        """Count a submission that ended: the call returns or waits for completions."""
        thread = self.threads.get(tid)
        if thread is None or thread.entered_ns is None:
            return
        elapsed_ns = t_ns - thread.entered_ns
        thread.entered_ns = None
        thread.calls += 1
        thread.submit_ns[rounded_down(elapsed_ns)] += 1
        if thread.is_blocked:
            thread.blocked_calls += 1
            thread.blocked_ns += elapsed_ns

    def lost(self) -> None:
        """Forget open calls: their ends may be among the lost events."""
        for thread in self.threads.values():
            thread.entered_ns = None


def rounded_down(value: int) -> int:
    """Return a value with all but its highest bits cleared, to limit the distinct values."""
    shift = max(0, value.bit_length() - _KEPT_BITS)
    return value >> shift << shift


class ProcessStalls(Record, frozen=True, kw_only=True):
    """Submission stalls of one process, times in ns; None if nothing was counted."""

    pid: Count
    name: str
    requests: Count  # at the devices; parts of a split request count separately
    submitted: Count
    punts: Count
    punted_opcodes: dict[Integer, Count]
    calls: Count
    blocked_calls: Count
    submit_p50_ns: Count | None
    submit_p99_ns: Count | None
    submit_max_ns: Count | None
    append_share: Share | None  # of its direct writes
    cause: StallCause | None  # None without waits
    punt_share: Amount | None  # of its requests, those that worker threads submitted
    blocked_share: Share | None  # of its submitting calls, those that slept


@dataclass(frozen=True, slots=True)
class QueueOccupancy:
    """The limit of one hardware queue, and the most requests sampled in flight."""

    limit: int | None
    max_in_flight: int | None

    @property
    def was_full(self) -> bool:
        """Return whether the queue was nearly full at a sample; samples may miss the maximum."""
        if self.limit is None or self.max_in_flight is None:
            return False
        return self.max_in_flight >= 0.95 * self.limit


class SubmissionStalls(Record, frozen=True, kw_only=True):
    """Submission stalls of all processes that used the devices, the worst first."""

    processes: tuple[ProcessStalls, ...]
    nr_requests: Count | None  # the limit of one hardware queue
    max_in_flight: Count | None  # among the samples
    lost_events: Count | None  # None if the kernel does not report it
    cpu_s: Amount  # CPU time of reading the trace
    missing: tuple[str, ...]  # what this kernel does not trace

    @property
    def occupancy(self) -> QueueOccupancy:
        """Return how full the queue was."""
        return QueueOccupancy(self.nr_requests, self.max_in_flight)


def process_stalls(
    pid: int, name: str, threads: Iterable[ThreadCounts], occupancy: QueueOccupancy
) -> ProcessStalls:
    """Return the stalls of a process from the counts of its threads."""
    total = ThreadCounts(name)
    for thread in threads:
        total.add(thread)
    submit_times = sorted(total.submit_ns.items())
    return ProcessStalls(
        pid=pid,
        name=name,
        requests=total.bios,
        submitted=total.submitted,
        punts=total.punts.total(),
        punted_opcodes=dict(total.punts.most_common()),
        calls=total.calls,
        blocked_calls=total.blocked_calls,
        submit_p50_ns=nearest_rank(submit_times, 0.5),
        submit_p99_ns=nearest_rank(submit_times, 0.99),
        submit_max_ns=max(total.submit_ns, default=None),
        append_share=total.appends / total.direct_writes if total.direct_writes else None,
        cause=stall_cause(total, occupancy),
        punt_share=total.punts.total() / total.submitted if total.submitted else None,
        blocked_share=total.blocked_calls / total.calls if total.calls else None,
    )


def stall_cause(counts: ThreadCounts, occupancy: QueueOccupancy) -> StallCause | None:
    """Return the cause of most waits; None without waits.

    Workers write in order, so of the direct writes of an appending process only some end beyond the
    end of the file: a quarter of the waits is enough. A full queue explains the remaining cases.
    """
    punts = counts.punts.total()
    if punts + counts.blocked_calls == 0:
        return None
    data_punts = sum(count for code, count in counts.punts.items() if code in READS | WRITES)
    if punts > counts.blocked_calls and data_punts < punts / 2:
        return StallCause.OPERATION
    if counts.appends > (punts + counts.blocked_calls) / 4:
        return StallCause.APPENDING
    return StallCause.OVER_NR_REQUESTS if occupancy.was_full else StallCause.FILESYSTEM
