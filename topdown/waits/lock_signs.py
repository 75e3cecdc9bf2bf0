"""Signs of what is wrong with a lock: convoy, herd, preempted holder, hold time that grows.

Each sign has a rule with numbers, which its text contains. A rule that lacks data gives no sign.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from topdown.waits.futex import LockKind
from topdown.waits.futex_waits import FutexWaits
from topdown.waits.locks import Lock
from topdown.waits.owners import NO_OWNER, WaitOwners
from topdown.waits.records import NO_STACK, WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.states import RUNNING_STATES, Intervals, ThreadState

LEAST_WAITS = 50
CONVOY_WAITERS = 2.0
# Of the time of the recording, for which threads wait: a short queue is not a convoy.
CONVOY_SHARE = 0.1
LONGEST_CONVOY_HOLD_NS = 1_000_000
HERD_THREADS = 2.0
HERD_VAIN_SHARE = 0.3
LONGEST_VAIN_RUN_NS = 100_000
PREEMPTED_SHARE = 0.1
SPIN_SHARE = 0.05
GROWTH = 1.5
LEAST_HOLDS = 20
# Objects whose waiters may all be woken at once. An unknown futex may be one of them.
_BROADCAST = (LockKind.CONDITION, LockKind.RUST_CONDITION, LockKind.FUTEX)
SPIN_FUNCTIONS = ("pthread_spin_lock", "__pthread_spin_lock", "spin_lock", "sched_yield")


@dataclass(frozen=True, slots=True)
class HoldTime:
    """Mean time between two releases of a lock while ``threads`` threads competed for it."""

    threads: int
    holds: int
    mean_ns: float


@dataclass(frozen=True, slots=True)
class Signs:
    """Signs per lock, by process, address and kind."""

    texts: dict[tuple[int, int, str], tuple[str, ...]] = field(default_factory=dict)

    def of(self, lock: Lock) -> tuple[str, ...]:
        """Return the signs of a lock."""
        return self.texts.get((lock.pid, lock.address, lock.kind.value), ())


def lock_signs(
    records: WaitRecords,
    intervals: Intervals,
    waits: FutexWaits,
    owners: WaitOwners,
    locks: list[Lock],
) -> Signs:
    """Return the signs of locks."""
    signs = Signs()
    for lock in locks:
        if lock.kind in _BROADCAST:
            sign_texts = [_herd(lock, _idle_wake_ups(lock, intervals, waits))]
        elif lock.kind.is_lock:
            sign_texts = [
                _convoy(lock, waits, int(records.end_ns) - int(records.begin_ns)),
                _herd(lock, lock.vain_share),
                _preempted_holder(lock, intervals, waits, owners, len(records.threads)),
                _growing_hold(hold_times(lock, waits)),
            ]
        else:
            continue
        texts = tuple(text for text in sign_texts if text)
        if texts:
            signs.texts[lock.pid, lock.address, lock.kind.value] = texts
    return signs


def _convoy(lock: Lock, waits: FutexWaits, period_ns: int) -> str:
    """Return a text if short holds have a long queue of waiters for a part of the period."""
    if lock.mean_waiters * CONVOY_SHARE * period_ns > lock.wait_ns:
        return ""
    holds = hold_times(lock, waits)
    count = sum(hold.holds for hold in holds)
    if lock.waits < LEAST_WAITS or lock.mean_waiters < CONVOY_WAITERS or count < LEAST_WAITS // 2:
        return ""
    mean_ns = sum(hold.mean_ns * hold.holds for hold in holds) / count
    if mean_ns > LONGEST_CONVOY_HOLD_NS:
        return ""
    return (
        f"convoy: {lock.mean_waiters:.1f} threads wait at a time, though the lock is released "
        f"every {mean_ns / 1000:.0f} us"
    )


def _herd(lock: Lock, vain_share: float | None) -> str:
    if lock.woken_per_wake_up is None or vain_share is None or lock.waits < LEAST_WAITS:
        return ""
    if lock.woken_per_wake_up < HERD_THREADS or vain_share < HERD_VAIN_SHARE:
        return ""
    return (
        f"thundering herd: a wake-up wakes {lock.woken_per_wake_up:.1f} threads, and "
        f"{vain_share:.0%} of the waits follow a wait that ended in vain"
    )


def _idle_wake_ups(lock: Lock, intervals: Intervals, waits: FutexWaits) -> float | None:
    """Return the share of waits after a wait with little run time between; None if few wake.

    The woken threads take the mutex of a condition variable one by one, so the time between says
    nothing.
    """
    if lock.woken_per_wake_up is None or lock.woken_per_wake_up < HERD_THREADS:
        return None
    runs = np.isin(intervals.state, RUNNING_STATES)
    run_ns = np.append(0, np.cumsum(np.where(runs, intervals.duration_ns, 0)))
    rows = np.sort(waits.interval[lock.rows])  # by thread, then by time
    same = intervals.thread[rows[1:]] == intervals.thread[rows[:-1]]
    vain = same & (run_ns[rows[1:]] - run_ns[rows[:-1] + 1] <= LONGEST_VAIN_RUN_NS)
    return float(vain.sum() / len(rows))


def _preempted_holder(
    lock: Lock,
    intervals: Intervals,
    waits: FutexWaits,
    owners: WaitOwners,
    threads: int,
) -> str:
    """Return a text if holders were in the run queue for a large part of the waits."""
    rows = lock.rows[owners.owner[lock.rows] != NO_OWNER]
    if not len(rows):
        return ""
    first = np.searchsorted(intervals.thread, np.arange(threads + 1))
    queued = total = 0
    for row in rows.tolist():
        begin, end = int(waits.begin_ns[row]), int(waits.end_ns[row])
        low, high = first[owners.owner[row]], first[owners.owner[row] + 1]
        low += max(np.searchsorted(intervals.begin_ns[low:high], begin, "right") - 1, 0)
        high = low + np.searchsorted(intervals.begin_ns[low:high], end, "left")
        waiting = intervals.state[low:high] == ThreadState.RUN_QUEUE
        starts = np.maximum(intervals.begin_ns[low:high][waiting].astype(np.int64), begin)
        ends = np.minimum(intervals.end_ns[low:high][waiting].astype(np.int64), end)
        queued += int(np.maximum(ends - starts, 0).sum())
        total += end - begin
    if queued < PREEMPTED_SHARE * total:
        return ""
    return (
        f"preempted holder: for {queued / total:.0%} of the waits with a known owner, the owner "
        "waited for a CPU"
    )


def hold_times(lock: Lock, waits: FutexWaits) -> list[HoldTime]:
    """Return the visible hold times by the number of competing threads.

    A hold is visible while threads wait: from the end of a wait, where a thread takes the lock, to
    the end of the next one, if that wait began before.
    """
    order = np.argsort(waits.end_ns[lock.rows], kind="stable")
    end, begin = waits.end_ns[lock.rows][order], waits.begin_ns[lock.rows][order]
    if len(end) < 2:
        return []
    contended = begin[1:] <= end[:-1]
    hold = (end[1:] - end[:-1])[contended]
    # Waits that had begun and not ended when the hold began.
    begun = np.searchsorted(np.sort(begin), end[:-1], "right")
    competing = (begun - np.arange(1, len(end)) + 1)[contended]
    result = []
    for threads in np.unique(competing).tolist():
        chosen = hold[competing == threads]
        result.append(HoldTime(int(threads), len(chosen), float(chosen.mean())))
    return result


def _growing_hold(holds: list[HoldTime]) -> str:
    usable = [hold for hold in holds if hold.holds >= LEAST_HOLDS]
    if len(usable) < 2:
        return ""
    few, many = usable[0], usable[-1]
    if many.threads < 1.5 * few.threads or many.mean_ns < GROWTH * few.mean_ns:
        return ""
    return (
        f"the hold time grows with the number of threads: {few.mean_ns / 1000:.0f} us with "
        f"{few.threads}, {many.mean_ns / 1000:.0f} us with {many.threads}"
    )


@dataclass(frozen=True, slots=True)
class Spinning:
    """CPU time in a function that spins in user space; no futex shows these waits."""

    function: str
    cpu_ns: int
    share: float  # of the CPU time of the target
    threads: int


def spinning(records: WaitRecords, names: StackNames) -> list[Spinning]:
    """Return functions that spin, in order of their CPU time.

    A function spins if its name says so, at least two threads run in it, and it takes at least 5 %
    of the target's CPU time.
    """
    samples = records.cpu_samples
    target = np.array([thread.target for thread in records.threads] or [False], np.bool_)
    chosen = target[samples.thread] & (samples.stack != NO_STACK)
    total = int(samples.period_ns[target[samples.thread]].sum()) if len(samples.thread) else 0
    leaves = _user_leaves(names)
    leaf = leaves[samples.stack[chosen]] if chosen.any() else np.zeros(0, np.int64)
    spinning_functions = []
    for number in np.unique(leaf[leaf >= 0]).tolist():
        if not _spins(names.names[number]):
            continue
        rows = np.flatnonzero(chosen)[leaf == number]
        cpu_ns = int(samples.period_ns[rows].sum())
        threads = len(np.unique(samples.thread[rows]))
        if threads > 1 and cpu_ns >= SPIN_SHARE * total:
            spinning_functions.append(
                Spinning(names.names[number], cpu_ns, cpu_ns / total, threads)
            )
    return sorted(spinning_functions, key=lambda spin: -spin.cpu_ns)


def _spins(name: str) -> bool:
    plain = name.replace("(anonymous namespace)::", "").partition("(")[0].lower()
    return plain in SPIN_FUNCTIONS or "spin" in plain.rpartition("::")[2]


def _user_leaves(names: StackNames) -> npt.NDArray[np.int64]:
    """Return the number of the name of the program's innermost frame of each stack, or -1."""
    leaves = np.full(len(names), -1, np.int64)
    count = len(names.frame)
    if not count:
        return leaves
    # The place of the first frame of the program at or after each frame, by running minimum.
    places = np.where(names.kernel[:count], count, np.arange(count))
    following = np.append(np.minimum.accumulate(places[::-1])[::-1], count)
    begin, end = names.offset[:-1].astype(np.int64), names.offset[1:].astype(np.int64)
    first = following[begin]
    has_user = first < end
    leaves[has_user] = names.frame[first[has_user]]
    return leaves
