"""Owners of the locks that threads waited for, and where the owners were.

An owner is named only for locks of glibc (`topdown/waits/futex.py`), and only if it was read from
the lock while the thread waited: within the first tenth of the wait, of waits over 1 ms within the
first quarter. A later reading often has another thread's name, since owners of short holds change
during a wait. Everything else is "not known" with a reason.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.waits.futex import LockKind
from topdown.waits.futex_waits import KINDS, FutexWaits
from topdown.waits.records import NO_ROW, NO_STACK, WaitRecords
from topdown.waits.states import RUNNING_STATES, Intervals, ThreadState

MAX_LATE_SHARE = 0.1
MAX_LATE_SHARE_OF_LONG = 0.25
LONG_WAIT_NS = 1_000_000
NO_OWNER = -1
NOT_READ = "not read while a thread waited for it"
LATE = "read too late"
READ_KINDS = {
    LockKind.MUTEX: "mutex",
    LockKind.PI_MUTEX: "pi-mutex",
    LockKind.ROBUST_MUTEX: "robust-mutex",
    LockKind.RWLOCK_READ: "rwlock-read",
    LockKind.RWLOCK_WRITE: "rwlock-write",
}
ASLEEP, PREEMPTED, RUNNING, NO_PLACE = (
    "stack with which the owner left the CPU",
    "stack with which the owner was preempted",
    "nearest CPU sample of the running owner within the hold",
    "none: the owner ran, and no sample was taken within the hold",
)


@dataclass(frozen=True, slots=True)
class WaitOwners:
    """Owner of each wait: its thread or NO_OWNER; the time of the reading; reasons; its stack.

    ``reason``: index into ``reasons``, 0 for a known owner. ``place``: how the stack was obtained.
    """

    owner: npt.NDArray[np.int64]
    at_ns: npt.NDArray[np.int64]
    reason: npt.NDArray[np.int64]
    reasons: tuple[str, ...]
    stack: npt.NDArray[np.uint32]
    place: tuple[str, ...]


class _Reasons:
    def __init__(self) -> None:
        self.texts: dict[str, int] = {"": 0}

    def number(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))


def wait_owners(records: WaitRecords, intervals: Intervals, waits: FutexWaits) -> WaitOwners:
    """Return the owner of each wait."""
    count = len(waits)
    reasons = _Reasons()
    by_kind = np.array([reasons.number(kind.no_owner or NOT_READ) for kind in KINDS], np.int64)
    reason = by_kind[waits.kind] if count else np.zeros(0, np.int64)
    owner = np.full(count, NO_OWNER, np.int64)
    at_ns = np.zeros(count, np.int64)
    numbers = {(thread.pid, thread.tid): number for number, thread in enumerate(records.threads)}
    _from_arguments(waits, numbers, owner, at_ns, reason)
    _from_readings(records, waits, numbers, (owner, at_ns, reason), reasons)
    stack = np.full(count, NO_STACK, np.uint32)
    place = [""] * count
    finder = _OwnerStacks(records, intervals)
    for row in np.flatnonzero(owner != NO_OWNER).tolist():
        period = int(waits.begin_ns[row]), int(waits.end_ns[row])
        stack[row], place[row] = finder.at(int(owner[row]), int(at_ns[row]), period)
    return WaitOwners(owner, at_ns, reason, tuple(reasons.texts), stack, tuple(place))


def _from_arguments(
    waits: FutexWaits,
    numbers: dict[tuple[int, int], int],
    owner: npt.NDArray[np.int64],
    at_ns: npt.NDArray[np.int64],
    reason: npt.NDArray[np.int64],
) -> None:
    """Set the owners of joins and robust mutexes, which the arguments of the call contain."""
    for row in np.flatnonzero(waits.owner_tid != 0).tolist():
        if KINDS[waits.kind[row]].no_owner:
            continue
        thread = numbers.get((int(waits.pid[row]), int(waits.owner_tid[row])))
        if thread is not None and thread != waits.thread[row]:
            owner[row], at_ns[row], reason[row] = thread, waits.begin_ns[row], 0


def _from_readings(
    records: WaitRecords,
    waits: FutexWaits,
    numbers: dict[tuple[int, int], int],
    columns: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]],
    reasons: _Reasons,
) -> None:
    """Set the owners that were read from the target's memory."""
    owner, at_ns, reason = columns
    if not len(waits) or not records.owners:
        return
    span = int(waits.end_ns.max()) + 1
    key = waits.thread * span + waits.begin_ns  # sorted: by thread, then by time
    for reading in records.owners:
        row = int(np.searchsorted(key, reading.waiter * span + reading.at_ns, "right")) - 1
        if row < 0 or waits.thread[row] != reading.waiter or reading.at_ns > waits.end_ns[row]:
            continue
        kind = KINDS[waits.kind[row]]
        if READ_KINDS.get(kind) != reading.kind or waits.futex[row] != reading.address:
            continue
        thread = numbers.get((int(waits.pid[row]), reading.owner_tid or 0))
        late = reading.at_ns - waits.begin_ns[row]
        if thread is None or thread == reading.waiter:
            reason[row] = reasons.number(reading.reason or NOT_READ)
        elif late > _latest(int(waits.end_ns[row] - waits.begin_ns[row])):
            reason[row] = reasons.number(LATE)
        else:
            owner[row], at_ns[row], reason[row] = thread, reading.at_ns, 0


def _latest(wait_ns: int) -> float:
    share = MAX_LATE_SHARE_OF_LONG if wait_ns > LONG_WAIT_NS else MAX_LATE_SHARE
    return share * wait_ns


class _OwnerStacks:
    """Stacks of owners at a time."""

    def __init__(self, records: WaitRecords, intervals: Intervals) -> None:
        self._records = records
        self._intervals = intervals
        self._first = np.searchsorted(intervals.thread, np.arange(len(records.threads) + 1))
        samples = records.cpu_samples
        self._by_thread = np.argsort(samples.thread, kind="stable")
        self._sampled = samples.thread[self._by_thread]

    def at(self, thread: int, at_ns: int, period: tuple[int, int]) -> tuple[int, str]:
        """Return the stack of a thread, and how it was obtained."""
        first, last = int(self._first[thread]), int(self._first[thread + 1])
        begins = self._intervals.begin_ns[first:last]
        row = first + int(np.searchsorted(begins, at_ns, "right")) - 1
        if row < first or at_ns >= self._intervals.end_ns[row]:
            return self._nearest_sample(thread, at_ns, period)
        state = ThreadState(self._intervals.state[row])
        if state in RUNNING_STATES:
            return self._nearest_sample(thread, at_ns, period)
        if self._intervals.sample[row] == NO_ROW and row > first and state == ThreadState.RUN_QUEUE:
            row -= 1  # woken: the stack is that of the wait before
        sample = self._intervals.sample[row]
        if sample == NO_ROW:
            return self._nearest_sample(thread, at_ns, period)
        stack = int(self._records.switch_samples.stack[sample])
        return stack, PREEMPTED if state == ThreadState.RUN_QUEUE else ASLEEP

    def _nearest_sample(self, thread: int, at_ns: int, period: tuple[int, int]) -> tuple[int, str]:
        samples = self._records.cpu_samples
        low, high = np.searchsorted(self._sampled, (thread, thread + 1))
        rows = self._by_thread[low:high]
        times = samples.time_ns[rows].astype(np.int64)
        first, last = np.searchsorted(times, (period[0], period[1] + 1))
        if first == last:
            return NO_STACK, NO_PLACE
        nearest = first + int(np.argmin(np.abs(times[first:last] - at_ns)))
        return int(samples.stack[rows[nearest]]), RUNNING
