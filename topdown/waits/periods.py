"""The part of a recording of waits that lies in a period.

Intervals are cut to the period. What only totals show (stolen time, user and system time,
throttling without call chains) is divided as in the whole recording.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from topdown.waits.records import WaitRecords
from topdown.waits.states import RUNNING_STATES, Intervals, ThreadState
from topdown.waits.thread_states import Amounts, ThreadTotals, summed_states
from topdown.waits.wait_kinds import WaitKinds

# Totals divide the state that intervals have among these states.
_DIVIDED = (
    (ThreadState.USER, (*RUNNING_STATES, ThreadState.STOLEN)),
    (ThreadState.RUN_QUEUE, (ThreadState.RUN_QUEUE, ThreadState.THROTTLED)),
)


def records_within(records: WaitRecords, begin_ns: int, end_ns: int) -> WaitRecords:
    """Return the records with the period as begin and end, and the readings within it."""
    windows = records.windows
    limited = records.limited_from_ns
    inside = (windows[:, 0] >= begin_ns) & (windows[:, 1] <= end_ns)
    return replace(
        records,
        begin_ns=begin_ns,
        end_ns=end_ns,
        readings=tuple(row for row in records.readings if begin_ns <= row.at_ns <= end_ns),
        limited_from_ns=None if limited is None else min(max(limited, begin_ns), end_ns),
        windows=windows[inside],
    )


def kinds_within(kinds: WaitKinds, begin_ns: int, end_ns: int) -> WaitKinds:
    """Return the intervals cut to the period."""
    intervals = kinds.intervals
    begin = np.maximum(intervals.begin_ns, np.uint64(begin_ns))
    end = np.minimum(intervals.end_ns, np.uint64(end_ns))
    kept = begin < end
    return WaitKinds(
        Intervals(
            intervals.thread[kept],
            begin[kept],
            end[kept],
            intervals.state[kept],
            intervals.sample[kept],
            intervals.wake_up[kept],
        ),
        kinds.evidence[kept],
    )


def totals_within(totals: ThreadTotals, whole: WaitKinds, part: WaitKinds) -> ThreadTotals:
    """Return the totals of the cut intervals. schedstat is that of the whole recording."""
    threads = len(totals.amounts)
    recorded = summed_states(whole.intervals, threads)
    amounts = summed_states(part.intervals, threads)
    for state, parts in _DIVIDED:
        if not np.array_equal(recorded[:, state], totals.amounts[:, state]):
            _divide(amounts, totals.amounts, state, parts)
    return replace(totals, amounts=amounts)


def _divide(
    amounts: Amounts, whole: Amounts, state: ThreadState, parts: tuple[ThreadState, ...]
) -> None:
    """Divide the time of a state as in the whole recording."""
    total: npt.NDArray[np.int64] = whole[:, parts].sum(axis=1)
    own = amounts[:, parts].sum(axis=1)
    known = total > 0
    for part in parts:
        share = np.divide(whole[:, part], total, out=np.zeros(len(whole)), where=known)
        amounts[known, part] = np.rint(own * share).astype(np.int64)[known]
    # Rounding stays in the state.
    amounts[known, state] += (own - amounts[:, parts].sum(axis=1))[known]
