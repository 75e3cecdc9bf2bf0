"""Time by state of a recording that limited its cost: random windows weighed with exact totals.

Above its cost limit the recorder records switches in random windows only, and reads each thread's
state and schedstat at short random intervals (ticks). Of the limited period of a thread:

- Running and queueing are the differences of schedstat between the first and the last tick: exact.
  The rest of the time is waiting: exact, too.
- A wait is long if two successive ticks show the thread asleep with the same number of runs. Each
  such tick stands for half of the time to both neighbours. A wait that is longer than the interval
  is found at every tick inside it, so the sum has no bias, and an error of half an interval at each
  end of a wait.
- The remaining time is that of short waits. It is divided among the categories like the waiting
  time inside windows, or like the ticks that show the thread asleep if these are many more: a
  thread that switches seldom is rarely seen in a window. The total is not taken from the windows,
  because recording a switch delays it: of 2 us per wait, a window shows twice as much.
- A window has the category of waits that begin in it, and their time up to its end. A moment at
  age A of a wait is seen if the wait begins in the first W - A of a window of length W, so it
  stands for W / (W - A) moments. Without this, waits as long as a window would count half.

Recording every Nth switch would not do: a long wait counts as one switch, so most samples are of
short waits and the time of the long ones depends on chance.

Intervals are those of 95 %. Cost: 1 us per interval and 5 us per reading.

Source of the weights: D. Horvitz and D. Thompson, "A generalization of sampling without
replacement from a finite universe", 1952; the ratio estimator's variance: W. Cochran, "Sampling
techniques", 1977, section 6.3.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.waits.records import ThreadReading, WaitRecords
from topdown.waits.states import Intervals, ThreadState

STATES = len(ThreadState)
SOURCE = "random windows, weighed with schedstat and readings of /proc"
Z_95 = 1.96
OLDEST_SEEN = 0.99  # of a window: few waits are seen for longer, and would have a large weight
MORE_TICKS = 4  # a window shows many waits, a tick one
_NOT_WAITING = (ThreadState.USER, ThreadState.SYSTEM, ThreadState.RUN_QUEUE, ThreadState.THROTTLED)
_WAITS = np.array([state not in (*_NOT_WAITING, ThreadState.UNKNOWN) for state in ThreadState])
_ASLEEP = frozenset("SDTtI")
Amounts = npt.NDArray[np.float64]  # (n_threads, STATES), nanoseconds


@dataclass(frozen=True, slots=True)
class WeighedTime:
    """Time by thread and state, and half of the width of its interval, both in nanoseconds."""

    amounts: Amounts
    errors: Amounts


def weigh_windows(
    records: WaitRecords, intervals: Intervals, reading_states: npt.NDArray[np.uint8]
) -> WeighedTime:
    """Return the time of each thread by state.

    ``intervals`` have categories; outside windows their state is unknown. ``reading_states``:
    ThreadState of each of the records' readings, if its thread waits; UNKNOWN without a cause.
    """
    begin = records.end_ns if records.limited_from_ns is None else records.limited_from_ns
    count = len(records.threads)
    before = np.array([[records.begin_ns, begin]], np.uint64)
    amounts = _clipped(intervals, before, count)
    errors = np.zeros_like(amounts)
    limited = _clipped(intervals, np.array([[begin, records.end_ns]], np.uint64), count)
    ticks = _Ticks.by_thread(records.readings, reading_states, begin)
    long_ns = {thread: own.long_times_ns() + begin for thread, own in ticks.items()}
    windows = _WindowSums.of(intervals, records.windows, long_ns)
    for thread in range(count):
        wall_ns = limited[thread].sum()
        if thread not in ticks or wall_ns <= 0:
            amounts[thread] += limited[thread]
            errors[thread, ThreadState.UNKNOWN] += limited[thread, ThreadState.UNKNOWN]
            continue
        share, error = _shares(ticks[thread], windows, thread)
        amounts[thread] += share * wall_ns
        errors[thread] += error * wall_ns
    return WeighedTime(amounts, errors)


def whole_amounts(amounts: Amounts) -> npt.NDArray[np.int64]:
    """Return whole nanoseconds; each thread's largest amount takes what rounding adds."""
    whole = np.rint(amounts).astype(np.int64)
    if amounts.size:
        rows = np.arange(len(whole))
        missing = np.rint(amounts.sum(axis=1)).astype(np.int64) - whole.sum(axis=1)
        whole[rows, amounts.argmax(axis=1)] += missing
    return whole


def _clipped(intervals: Intervals, windows: npt.NDArray[np.uint64], count: int) -> Amounts:
    """Return the time of each thread by state inside windows, which are in order of time."""
    lengths = _overlaps(intervals, windows)
    keys = intervals.thread.astype(np.int64) * STATES + intervals.state
    sums = np.bincount(keys, lengths, minlength=count * STATES)
    return sums.astype(np.float64).reshape(count, STATES)


def _overlaps(intervals: Intervals, windows: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Return the part of each interval that is inside windows, in nanoseconds."""
    if not len(windows):
        return np.zeros(len(intervals.thread))
    origin = windows[0, 0]
    edges = (windows.astype(np.int64) - np.int64(origin)).reshape(-1).astype(np.float64)
    length = edges[1::2] - edges[::2]
    inside = np.zeros(len(edges))
    inside[1::2] = np.cumsum(length)
    inside[2::2] = inside[1:-1:2]
    ends = (
        (moment.astype(np.int64) - np.int64(origin)).astype(np.float64)
        for moment in (intervals.begin_ns, intervals.end_ns)
    )
    first, last = (np.interp(moment, edges, inside) for moment in ends)
    return np.asarray(last - first)


def _with_unseen(
    seen_ns: npt.NDArray[np.float64], window_ns: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return the time for which waits in windows stand: the integral of W / (W - age)."""
    ages = np.minimum(seen_ns / window_ns, OLDEST_SEEN)
    return np.asarray(-np.log1p(-ages) * window_ns)


def _outlasts(
    end_ns: npt.NDArray[np.uint64],
    windows: npt.NDArray[np.uint64],
    long_ns: npt.NDArray[np.float64] | None,
) -> npt.NDArray[np.bool_]:
    """Return whether waits that the end of their window cuts go on as long waits.

    ``windows`` (n, 2) are those of the waits; ``long_ns`` (m, 2), see `_Ticks.long_times_ns`.
    """
    if long_ns is None or not len(long_ns):
        return np.zeros(len(end_ns), np.bool_)
    closes = windows[:, 1].astype(np.float64)
    place = np.searchsorted(long_ns[:, 1], closes, side="left")
    begins = np.append(long_ns[:, 0], np.inf)[place]
    return np.asarray((end_ns >= windows[:, 1]) & (begins <= closes))


@dataclass(frozen=True, slots=True)
class _WindowSums:
    """Waiting time by thread, window and state, of the windows in which a thread waited."""

    by_thread: dict[int, Amounts]  # (n_windows, STATES)

    @staticmethod
    def of(
        intervals: Intervals,
        windows: npt.NDArray[np.uint64],
        long_ns: Mapping[int, npt.NDArray[np.float64]],
    ) -> "_WindowSums":
        """Return the sums without long waits: ``long_ns`` are begins and ends of a thread's."""
        lengths = _overlaps(intervals, windows)
        rows = np.flatnonzero((lengths > 0) & _WAITS[intervals.state])
        if not len(rows):
            return _WindowSums({})
        window = np.searchsorted(windows[:, 1], intervals.begin_ns[rows], side="right")
        window = np.minimum(window, len(windows) - 1)
        weighed = _with_unseen(lengths[rows], np.diff(windows.astype(np.int64))[window, 0])
        by_thread = {}
        for thread in np.unique(intervals.thread[rows]).tolist():
            own = intervals.thread[rows] == thread
            own[own] = ~_outlasts(
                intervals.end_ns[rows[own]], windows[window[own]], long_ns.get(thread)
            )
            if not own.any():
                continue
            numbers, place = np.unique(window[own], return_inverse=True)
            keys = place * STATES + intervals.state[rows[own]]
            sums = np.bincount(keys, weighed[own], minlength=len(numbers) * STATES)
            by_thread[int(thread)] = sums.astype(np.float64).reshape(len(numbers), STATES)
        return _WindowSums(by_thread)

    def count(self, thread: int) -> int:
        """Return the number of windows in which a thread waited."""
        return len(self.by_thread.get(thread, ()))

    def shares(self, thread: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the shares of the states in short waits, and their standard errors."""
        sums = self.by_thread[thread]
        total = sums.sum()
        share = sums.sum(axis=0) / total
        count = len(sums)
        if count < 2:
            return share, np.where(share > 0, 1.0, 0.0)
        residuals = sums - share * sums.sum(axis=1, keepdims=True)
        variance = count / (count - 1) * (residuals**2).sum(axis=0) / total**2
        return share, np.sqrt(variance)


@dataclass(frozen=True, slots=True)
class _Ticks:
    """The ticks of a thread, (n,)."""

    at_ns: npt.NDArray[np.float64]
    run_ns: npt.NDArray[np.float64]
    queue_ns: npt.NDArray[np.float64]
    runs: npt.NDArray[np.int64]
    is_asleep: npt.NDArray[np.bool_]
    state: npt.NDArray[np.uint8]

    @staticmethod
    def by_thread(
        readings: tuple[ThreadReading, ...],
        states: npt.NDArray[np.uint8],
        begin_ns: int,
    ) -> "dict[int, _Ticks]":
        """Return the ticks of each thread that has at least two."""
        rows: dict[int, list[tuple[float, float, float, int, bool, int]]] = {}
        for reading, state in zip(readings, states.tolist(), strict=True):
            if reading.at_ns < begin_ns or reading.run_ns is None or reading.queue_ns is None:
                continue
            if reading.runs is None:
                continue
            rows.setdefault(reading.thread, []).append(
                (
                    reading.at_ns - begin_ns,
                    reading.run_ns,
                    reading.queue_ns,
                    reading.runs,
                    reading.state in _ASLEEP,
                    state,
                )
            )
        ticks = {}
        for thread, own in rows.items():
            columns = list(zip(*sorted(own), strict=True))
            if len(own) < 2 or columns[0][-1] <= columns[0][0]:
                continue
            at, run, queue = (np.array(column, np.float64) for column in columns[:3])
            ticks[thread] = _Ticks(
                at,
                run,
                queue,
                np.array(columns[3], np.int64),
                np.array(columns[4], np.bool_),
                np.array(columns[5], np.uint8),
            )
        return ticks

    def short_states(self) -> npt.NDArray[np.uint8]:
        """Return the states at the ticks that show a wait that is not long."""
        return np.asarray(self.state[self.is_asleep & ~self._is_long()])

    def _is_long(self) -> npt.NDArray[np.bool_]:
        same = self._unchanged()
        return np.asarray(np.append(False, same) | np.append(same, False))

    def _unchanged(self) -> npt.NDArray[np.bool_]:
        """Return whether the thread slept in each interval between ticks, (n - 1,)."""
        same = (np.diff(self.runs) == 0) & (np.diff(self.run_ns) == 0)
        return np.asarray(same & self.is_asleep[1:] & self.is_asleep[:-1])

    def long_times_ns(self) -> npt.NDArray[np.float64]:
        """Return the times in which the thread may be in each long wait, (n, 2).

        From the last tick before it to the first one after it.
        """
        is_long = self._is_long()
        edges = np.diff(np.concatenate([[False], is_long, [False]]).astype(np.int8))
        first, last = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
        before = self.at_ns[np.maximum(first - 1, 0)]
        after = self.at_ns[np.minimum(last + 1, len(self.at_ns) - 1)]
        return np.stack([before, after], axis=1)

    def long_waits(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the time in long waits by state, and its standard error, in nanoseconds."""
        gaps = np.diff(self.at_ns)
        is_long, same = self._is_long(), self._unchanged()
        weight = np.zeros(len(self.at_ns))
        weight[1:] += gaps / 2
        weight[:-1] += gaps / 2
        time = np.bincount(self.state[is_long], weight[is_long], minlength=STATES)
        # Each wait has two ends; an end is uniform within an interval.
        starts = np.flatnonzero(is_long & ~np.append(False, same))
        ends = np.bincount(self.state[starts], minlength=STATES)
        variance = 2 * ends * float((gaps**2).mean()) / 12
        return time.astype(np.float64), np.sqrt(variance)


def _short_shares(
    ticks: _Ticks, windows: _WindowSums, thread: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the shares of the states in short waits, and their standard errors."""
    states = ticks.short_states()
    # A tick finds a thread that switches often between two waits: asleep, and in no system call.
    known = int(np.count_nonzero(states != ThreadState.UNKNOWN))
    if windows.count(thread) * MORE_TICKS >= max(1, known):
        return windows.shares(thread)
    if not len(states):
        unknown = np.zeros(STATES)
        unknown[ThreadState.UNKNOWN] = 1
        return unknown, np.zeros(STATES)
    share = np.bincount(states, minlength=STATES) / len(states)
    return share, np.sqrt(share * (1 - share) / len(states))


def _shares(
    ticks: _Ticks, windows: _WindowSums, thread: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the shares of the states in the time of a thread, and half widths of intervals."""
    wall_ns = ticks.at_ns[-1] - ticks.at_ns[0]
    run_ns = min(wall_ns, max(0.0, ticks.run_ns[-1] - ticks.run_ns[0]))
    queue_ns = min(wall_ns - run_ns, max(0.0, ticks.queue_ns[-1] - ticks.queue_ns[0]))
    waiting_ns = wall_ns - run_ns - queue_ns
    long_ns, long_error = ticks.long_waits()
    if (excess := long_ns.sum()) > waiting_ns:
        long_ns = long_ns * (waiting_ns / excess)
    short_ns = waiting_ns - long_ns.sum()
    share, error = _short_shares(ticks, windows, thread)
    amounts = long_ns + short_ns * share
    amounts[ThreadState.USER] += run_ns
    amounts[ThreadState.RUN_QUEUE] += queue_ns
    # An error of the long waits moves time between them and the short ones.
    others = np.sqrt(max(0.0, (long_error**2).sum()))
    errors = np.sqrt(
        long_error**2 + (short_ns * error) ** 2 + np.where(long_ns > 0, 0, share * others) ** 2
    )
    return amounts / wall_ns, Z_95 * errors / wall_ns
