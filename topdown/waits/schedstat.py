"""Run and queue time of threads by /proc/TID/schedstat, as the scheduler counts them.

Between the first and the last reading of a thread. A thread that starts during the recording has
neither run nor waited by then, so its start is its first reading.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.waits.records import TaskKind, WaitRecords
from topdown.waits.states import Intervals, ThreadState

_Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Schedstat:
    """Run and queue time of each thread between two readings; -1 if there are no two."""

    run_ns: _Integers
    queue_ns: _Integers
    begin_ns: npt.NDArray[np.uint64]
    end_ns: npt.NDArray[np.uint64]

    def recorded(self, intervals: Intervals, state: ThreadState) -> _Integers:
        """Return the time of each thread in a state between its readings, by the intervals."""
        sums = np.zeros(len(self.run_ns))
        for block in intervals.blocks():
            rows = np.flatnonzero(block.state == state)
            thread = block.thread[rows]
            begin = np.maximum(block.begin_ns[rows], self.begin_ns[thread])
            end = np.minimum(block.end_ns[rows], self.end_ns[thread])
            length = np.maximum(end.astype(np.int64) - begin.astype(np.int64), 0)
            sums += np.bincount(thread, length, minlength=len(sums))
        return np.rint(sums).astype(np.int64)

    def ended(self, intervals: Intervals, state: ThreadState) -> _Integers:
        """Return the time of each thread in intervals of a state that end between its readings.

        The kernel adds time in the run queue when the thread comes to a CPU.
        """
        sums = np.zeros(len(self.run_ns))
        for block in intervals.blocks():
            rows = np.flatnonzero(block.state == state)
            thread, end = block.thread[rows], block.end_ns[rows]
            rows = rows[(end > self.begin_ns[thread]) & (end <= self.end_ns[thread])]
            length = (block.end_ns[rows] - block.begin_ns[rows]).astype(np.int64)
            sums += np.bincount(block.thread[rows], length, minlength=len(sums))
        return np.rint(sums).astype(np.int64)

    def excess_ns(self, intervals: Intervals) -> _Integers:
        """Return the running time of each thread that only the intervals have; 0 if unknown."""
        excess = self.recorded(intervals, ThreadState.USER) - self.run_ns
        return np.where(self.run_ns >= 0, excess, 0)


def read_schedstat(records: WaitRecords) -> Schedstat:
    """Return the times between the first and the last reading of each thread."""
    count = len(records.threads)
    result = Schedstat(
        np.full(count, -1, np.int64),
        np.full(count, -1, np.int64),
        np.zeros(count, np.uint64),
        np.zeros(count, np.uint64),
    )
    first = _starts(records)
    for reading in sorted(records.readings, key=lambda reading: reading.at_ns):
        thread = reading.thread
        if thread >= count or reading.run_ns is None or reading.queue_ns is None:
            continue
        earlier = first.setdefault(thread, (reading.at_ns, reading.run_ns, reading.queue_ns))
        if earlier[0] >= reading.at_ns:
            continue
        result.run_ns[thread] = max(0, reading.run_ns - earlier[1])
        result.queue_ns[thread] = max(0, reading.queue_ns - earlier[2])
        result.begin_ns[thread], result.end_ns[thread] = earlier[0], reading.at_ns
    return result


def _starts(records: WaitRecords) -> dict[int, tuple[int, int, int]]:
    """Return time, run time and queue time of threads at their start, if it was recorded."""
    tasks = records.tasks
    born = (tasks.kind == TaskKind.START) & (tasks.time_ns > records.begin_ns)
    pairs = zip(tasks.thread[born].tolist(), tasks.time_ns[born].tolist(), strict=True)
    return {thread: (time_ns, 0, 0) for thread, time_ns in pairs}


def stolen_ns(records: WaitRecords, excess_ns: _Integers) -> _Integers:
    """Return the part of the excess of each thread that the hypervisor took.

    A CPU that the hypervisor takes away looks busy to switch records but not to schedstat.
    """
    steal_ns = max((row.steal_ns or 0 for row in records.throttled), default=0)
    stolen = np.maximum(excess_ns, 0)
    total = int(stolen.sum())
    if total > steal_ns:
        stolen = (stolen * (steal_ns / total)).astype(np.int64)
    return stolen
