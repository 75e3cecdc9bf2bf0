"""Intervals whose running and queueing times agree with schedstat.

The scheduler counts a switch before it is recorded. It stops to count the run time of a thread that
goes to sleep when it takes the thread off its queue; the switch is recorded after it has searched
for another thread, some 40 us later if there is none. A wake-up that preempts a thread ends its run
time in the interrupt, 5 us before the switch. So the ends of running intervals, or their begins,
move to an earlier time, by the same amount for all switches of a kind of a thread.

A wake-up is recorded before the thread is in the run queue, and the record itself, with the call
chain of the interrupt, takes most of the 10 us between. The thread still waits in this time, so the
begins of queueing intervals after waits move to a later time, by the same amount for all wake-ups
of a thread. This matters for waits of 100 us, such as those for a disk.

More than LONGEST_NS per switch is a fault of the records. If a thread has run for longer than its
intervals show, records are missing, such as a switch to it: its longest intervals off the CPU are
then in an unknown state, because the thread cannot have waited for all of their time.

Threads without readings have the mean of those with readings. Recordings of random windows have
their totals from schedstat instead (`topdown/waits/windows.py`).
"""

import numpy as np
import numpy.typing as npt

from topdown.waits.records import NO_ROW, WaitRecords
from topdown.waits.schedstat import Schedstat, read_schedstat, stolen_ns
from topdown.waits.states import Intervals, ThreadState

# Running to waiting, running to the run queue, and to running.
LONGEST_NS = (100_000, 10_000, 20_000)
# Readings are not taken at the same time as records, so less is no contradiction.
LONGEST_WAKE_UP_NS = 25_000
MIN_MISSING_NS = 10_000_000
MIN_MISSING_SHARE = 0.02  # of the run time
_PASSES = 3  # intervals shorter than the amount leave a rest
_BLOCK = 1 << 18  # intervals at a time, for the memory
_Floats = npt.NDArray[np.float64]
_Integers = npt.NDArray[np.int64]


def fit_run_time(intervals: Intervals, records: WaitRecords) -> None:
    """Move begins and ends of the intervals, in place."""
    if records.limited_from_ns is not None or not len(intervals.thread):
        return
    schedstat = read_schedstat(records)
    if not (schedstat.run_ns >= 0).any():
        return
    counts = _counts(intervals, len(records.threads))
    unknown = schedstat.recorded(intervals, ThreadState.UNKNOWN)  # the thread may have run then
    left = np.tile(np.array(LONGEST_NS, np.float64)[:, None], len(records.threads))
    for _ in range(_PASSES):
        excess = schedstat.excess_ns(intervals)
        excess = np.where(
            excess < 0, np.minimum(excess + unknown, 0), excess - stolen_ns(records, excess)
        )
        shifts = _shifts(excess, counts, schedstat, left)
        _shift(intervals, shifts)
        left -= shifts
    _forget_contradictions(intervals, schedstat, records)
    if records.wake_ups is not None:
        _fit_queue_time(intervals, schedstat)


def _fit_queue_time(intervals: Intervals, schedstat: Schedstat) -> None:
    """Move the begins of queueing intervals after waits, in place.

    A thread that queued for longer than its intervals show lacks wake-ups, and has the mean.
    """
    threads = len(schedstat.queue_ns)
    count = np.zeros(threads, np.int64)
    for begin in range(1, len(intervals.thread), _BLOCK):
        count += np.bincount(intervals.thread[_woken(intervals, begin)], minlength=threads)
    left = np.full(threads, LONGEST_WAKE_UP_NS, np.float64)
    for _ in range(_PASSES - 1):
        excess = schedstat.ended(intervals, ThreadState.RUN_QUEUE) - schedstat.queue_ns
        known = (schedstat.queue_ns >= 0) & (excess >= 0)
        delay = np.minimum(_ratio(np.where(known, excess, 0).astype(np.float64), count), left)
        total = count[known].sum()
        delay[~known] = (delay * count)[known].sum() / total if total else 0.0
        delay = np.minimum(delay, left)
        left = np.where(known, left - delay, 0.0)
        delay_ns = np.rint(delay).astype(np.int64)
        for begin in range(1, len(intervals.thread), _BLOCK):
            rows = _woken(intervals, begin)
            length = (intervals.end_ns[rows] - intervals.begin_ns[rows]).astype(np.int64)
            moved = np.minimum(delay_ns[intervals.thread[rows]], np.maximum(length - 1, 0))
            intervals.begin_ns[rows] += moved.astype(np.uint64)
            intervals.end_ns[rows - 1] = intervals.begin_ns[rows]


def _woken(intervals: Intervals, begin: int) -> npt.NDArray[np.intp]:
    """Return the rows of a block that queue after a wait; ``begin``: as for `_boundaries`."""
    rows = slice(begin, begin + _BLOCK)
    before = slice(begin - 1, begin - 1 + len(intervals.thread[rows]))
    woken = intervals.state[rows] == ThreadState.RUN_QUEUE
    woken &= intervals.state[before] == ThreadState.OTHER
    woken &= intervals.thread[rows] == intervals.thread[before]
    return np.flatnonzero(woken) + begin


def _counts(intervals: Intervals, threads: int) -> _Integers:
    """Return the number of boundaries of each kind and thread, (3, n_threads)."""
    sums = np.zeros((len(LONGEST_NS), threads), np.int64)
    for begin in range(1, len(intervals.thread), _BLOCK):
        for kind, rows in enumerate(_boundaries(intervals, begin)):
            sums[kind] += np.bincount(intervals.thread[rows], minlength=threads)
    return sums


def _shifts(excess: _Integers, counts: _Integers, schedstat: Schedstat, left: _Floats) -> _Floats:
    """Return the nanoseconds by which boundaries move to an earlier time, (3, n_threads).

    ``left``: the most that each may still move.
    """
    more = np.maximum(excess, 0).astype(np.float64)
    to_queue = np.minimum(_ratio(more, counts[0] + counts[1]), left[1])
    to_sleep = _ratio(more - to_queue * counts[1], counts[0])
    to_run = _ratio(np.maximum(-excess, 0).astype(np.float64), counts[2])
    shifts = np.minimum(np.stack([to_sleep, to_queue, to_run]), left)
    has_run_time = schedstat.run_ns >= 0
    for shift, number in zip(shifts, counts, strict=True):
        total = number[has_run_time].sum()
        shift[~has_run_time] = (shift * number)[has_run_time].sum() / total if total else 0.0
    return np.asarray(np.minimum(shifts, left))


def _ratio(amount: _Floats, count: _Integers) -> _Floats:
    return np.divide(amount, count, out=np.zeros(len(amount)), where=count > 0)


def _boundaries(
    intervals: Intervals, begin: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the rows of a block by kind: waits after running, queues after running, running.

    ``begin``: the first row of the block, at least 1. The row before is of the same thread.
    """
    rows = slice(begin, begin + _BLOCK)
    before = slice(begin - 1, begin - 1 + len(intervals.thread[rows]))
    same = intervals.thread[rows] == intervals.thread[before]
    state, last = intervals.state[rows], intervals.state[before]
    left = same & (last == ThreadState.USER) & (state != ThreadState.UNKNOWN)
    queued = state == ThreadState.RUN_QUEUE
    came = same & (state == ThreadState.USER) & (last != ThreadState.UNKNOWN)
    return tuple(  # type: ignore[return-value]
        np.flatnonzero(chosen) + begin
        for chosen in (left & ~queued & (state != ThreadState.USER), left & queued, came)
    )


def _shift(intervals: Intervals, amounts: _Floats) -> None:
    for begin in range(1, len(intervals.thread), _BLOCK):
        for amount, rows in zip(amounts, _boundaries(intervals, begin), strict=True):
            if not amount.any() or not len(rows):
                continue
            length = (intervals.end_ns[rows - 1] - intervals.begin_ns[rows - 1]).astype(np.int64)
            shift_ns = np.rint(amount[intervals.thread[rows]]).astype(np.int64)
            moved = np.minimum(shift_ns, np.maximum(length - 1, 0)).astype(np.uint64)
            intervals.begin_ns[rows] -= moved
            intervals.end_ns[rows - 1] = intervals.begin_ns[rows]


def _forget_contradictions(
    intervals: Intervals, schedstat: Schedstat, records: WaitRecords
) -> None:
    """Set the state of intervals off the CPU in which their thread must have run to unknown."""
    missing = -schedstat.excess_ns(intervals)
    missing -= schedstat.recorded(intervals, ThreadState.UNKNOWN)
    limit = np.maximum(MIN_MISSING_NS, MIN_MISSING_SHARE * schedstat.run_ns)
    for thread in np.flatnonzero(missing > limit).tolist():
        first, last = np.searchsorted(intervals.thread, [thread, thread + 1])
        rows = np.arange(first, last)
        off = np.isin(intervals.state[rows], (ThreadState.OTHER, ThreadState.RUN_QUEUE))
        if records.wake_ups is not None:  # a wake-up shows that the thread waited until then
            off &= intervals.wake_up[rows] == NO_ROW
        rows = rows[off & (intervals.begin_ns[rows] < schedstat.end_ns[thread])]
        length = (intervals.end_ns[rows] - intervals.begin_ns[rows]).astype(np.int64)
        order = np.argsort(-length, kind="stable")
        before = np.cumsum(length[order]) - length[order]
        chosen = rows[order[before < missing[thread]]]
        intervals.state[chosen] = ThreadState.UNKNOWN
        intervals.sample[chosen] = NO_ROW
