"""Off-CPU time as the weight of switch samples: how long a thread waited at its blocking stack.

Time in the run queue does not count; without wake-up records a wait includes it. Threads wait
beside each other, so the sum may exceed the wall time.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.waits.records import NO_ROW, Indices, WaitRecords
from topdown.waits.states import RUNNING_STATES, Intervals, ThreadState

NOT_WAITING = (*RUNNING_STATES, ThreadState.RUN_QUEUE, ThreadState.UNKNOWN)


@dataclass(frozen=True, slots=True)
class OffCpuWeights:
    """Time of waits by switch sample, in nanoseconds.

    ``switch`` (n_switch_samples,). ``other_thread`` and ``other_ns``: waits without a recorded
    stack, by thread.
    """

    switch: npt.NDArray[np.int64]
    other_thread: Indices
    other_ns: npt.NDArray[np.int64]


def off_cpu_weights(
    records: WaitRecords,
    intervals: Intervals,
    left_out: npt.NDArray[np.bool_] | None = None,
) -> OffCpuWeights:
    """Return the weights of the records' switch samples.

    ``left_out`` (n_threads,): threads whose waits do not count, such as those of idle pools.
    """
    is_wait = ~np.isin(intervals.state, NOT_WAITING)
    if left_out is not None:
        is_wait &= ~left_out[intervals.thread]
    waits = np.flatnonzero(is_wait)
    duration, sample = intervals.duration_ns[waits], intervals.sample[waits]
    switch = np.zeros(len(records.switch_samples.time_ns), np.int64)
    placed = sample != NO_ROW
    np.add.at(switch, sample[placed], duration[placed])
    sums = np.zeros(len(records.threads), np.int64)
    np.add.at(sums, intervals.thread[waits[~placed]], duration[~placed])
    threads = np.flatnonzero(sums)
    return OffCpuWeights(switch, threads.astype(np.uint32), sums[threads])
