"""Submitting that waits: requests that io_uring hands to worker threads, and calls that block.

From tracepoints: io_uring:io_uring_queue_async_work over io_uring_submit_req are punts; the time
from entering io_uring_enter or io_submit to its end, or to where it begins to wait for completions,
is the submission; a call in which the thread slept uninterruptibly is one that blocked.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from stallscope.statistics.quantiles import nearest_rank

# io_uring's opcodes of reads and writes, include/uapi/linux/io_uring.h
READS = frozenset({1, 4, 22, 49, 58})
WRITES = frozenset({2, 5, 23, 59})
_KEPT_BITS = 7  # of a time, when times are counted: 0.8 %


class StallCause(StrEnum):
    """Why submitting waits."""

    OVER_NR_REQUESTS = "over nr_requests"
    APPENDING = "appending"
    OPERATION = "operation"  # one that io_uring gives to workers always: fsync, openat
    FILESYSTEM = "filesystem"


@dataclass(slots=True)
class ThreadCounts:
    """What one thread did; filled by SubmissionCounter."""

    name: str = ""
    bios: int = 0  # on the devices that are looked at
    submitted: int = 0
    submitted_writes: int = 0
    punts: Counter[int] = field(default_factory=Counter)  # by opcode
    direct_writes: int = 0
    appends: int = 0
    calls: int = 0
    blocked_calls: int = 0
    blocked_ns: int = 0
    submit_ns: Counter[int] = field(default_factory=Counter)  # times, rounded down
    entered_ns: int | None = None
    is_blocked: bool = False

    def add(self, other: "ThreadCounts") -> None:
        """Take another thread's counts of the same process."""
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
    """Takes events of all CPUs in the order of time, and keeps what each thread did."""

    def __init__(self) -> None:
        self.threads: dict[int, ThreadCounts] = {}

    def _thread(self, tid: int) -> ThreadCounts:
        found = self.threads.get(tid)
        if found is None:
            found = self.threads[tid] = ThreadCounts()
        return found

    def bio(self, tid: int, name: str) -> None:
        """Take a request that a thread put to one of the devices."""
        thread = self._thread(tid)
        thread.name = name
        thread.bios += 1

    def submitted(self, tid: int, opcode: int) -> None:
        """Take a request that io_uring was given."""
        thread = self._thread(tid)
        thread.submitted += 1
        thread.submitted_writes += opcode in WRITES

    def punted(self, tid: int, opcode: int) -> None:
        """Take a request that io_uring gave to a worker thread."""
        self._thread(tid).punts[opcode] += 1

    def direct_write(self, tid: int, *, appends: bool) -> None:
        """Take a direct write of a file."""
        thread = self._thread(tid)
        thread.direct_writes += 1
        thread.appends += appends

    def entered(self, tid: int, t_ns: int) -> None:
        """Take the beginning of a call that submits."""
        thread = self._thread(tid)
        thread.entered_ns, thread.is_blocked = t_ns, False

    def blocked(self, tid: int) -> None:
        """Take a switch from a thread that sleeps until something is done."""
        thread = self.threads.get(tid)
        if thread is not None and thread.entered_ns is not None:
            thread.is_blocked = True

    def left(self, tid: int, t_ns: int) -> None:
        """Take the end of submitting: the call's, or where it begins to wait for completions."""
        thread = self.threads.get(tid)
        if thread is None or thread.entered_ns is None:
            return
        took_ns = t_ns - thread.entered_ns
        thread.entered_ns = None
        thread.calls += 1
        thread.submit_ns[rounded_down(took_ns)] += 1
        if thread.is_blocked:
            thread.blocked_calls += 1
            thread.blocked_ns += took_ns

    def lost(self) -> None:
        """Forget the calls that are open, as their ends may be among the lost events."""
        for thread in self.threads.values():
            thread.entered_ns = None


def rounded_down(value: int) -> int:
    """Return a value with its highest bits only, so that few different ones are counted."""
    shift = max(0, value.bit_length() - _KEPT_BITS)
    return value >> shift << shift


@dataclass(frozen=True, slots=True)
class ProcessStalls:
    """What submitting cost one process, times in ns; None where nothing was counted."""

    pid: int
    name: str
    requests: int  # that reached the devices, parts of split ones each
    submitted: int
    punts: int
    punted_opcodes: dict[int, int]
    calls: int
    blocked_calls: int
    submit_p50_ns: int | None
    submit_p99_ns: int | None
    submit_max_ns: int | None
    append_share: float | None  # of its direct writes
    cause: StallCause | None  # None where nothing waited

    @property
    def punt_share(self) -> float | None:
        """Return the share, 0..1, of its requests that worker threads had to submit."""
        return self.punts / self.submitted if self.submitted else None

    @property
    def blocked_share(self) -> float | None:
        """Return the share, 0..1, of its submitting calls that slept."""
        return self.blocked_calls / self.calls if self.calls else None


@dataclass(frozen=True, slots=True)
class QueueRoom:
    """How full the queue became: the limit of one hardware queue, and the most seen in flight."""

    limit: int | None
    most_in_flight: int | None

    @property
    def was_full(self) -> bool:
        """Return whether the queue was as good as full at some time; samples may miss the top."""
        if self.limit is None or self.most_in_flight is None:
            return False
        return self.most_in_flight >= 0.95 * self.limit


@dataclass(frozen=True, slots=True)
class Stalls:
    """What submitting cost all processes that used the devices, the worst first."""

    processes: tuple[ProcessStalls, ...]
    room: QueueRoom
    lost_events: int | None  # None: the kernel did not tell
    cpu_s: float  # of reading the trace while it ran
    missing: tuple[str, ...]  # what this kernel does not trace, in words


def process_stalls(
    pid: int, name: str, threads: Iterable[ThreadCounts], room: QueueRoom
) -> ProcessStalls:
    """Return what submitting cost a process, of its threads' counts."""
    whole = ThreadCounts(name)
    for thread in threads:
        whole.add(thread)
    submits = sorted(whole.submit_ns.items())
    return ProcessStalls(
        pid=pid,
        name=name,
        requests=whole.bios,
        submitted=whole.submitted,
        punts=whole.punts.total(),
        punted_opcodes=dict(whole.punts.most_common()),
        calls=whole.calls,
        blocked_calls=whole.blocked_calls,
        submit_p50_ns=nearest_rank(submits, 0.5),
        submit_p99_ns=nearest_rank(submits, 0.99),
        submit_max_ns=max(whole.submit_ns, default=None),
        append_share=whole.appends / whole.direct_writes if whole.direct_writes else None,
        cause=cause_of(whole, room),
    )


def cause_of(counts: ThreadCounts, room: QueueRoom) -> StallCause | None:
    """Return why most of what waited did so; None where nothing did.

    Of writers that append, as many direct writes go beyond the file's end as their workers write in
    order, never all: a quarter of what waited is enough. A full queue explains what is left.
    """
    punts = counts.punts.total()
    if punts + counts.blocked_calls == 0:
        return None
    of_data = sum(count for code, count in counts.punts.items() if code in READS | WRITES)
    if punts > counts.blocked_calls and of_data < punts / 2:
        return StallCause.OPERATION
    if counts.appends > (punts + counts.blocked_calls) / 4:
        return StallCause.APPENDING
    return StallCause.OVER_NR_REQUESTS if room.was_full else StallCause.FILESYSTEM
