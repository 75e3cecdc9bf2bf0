"""States of threads and the intervals in which a thread is in one."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from topdown.waits.records import Codes, Indices, Times


class ThreadState(IntEnum):
    """State of a thread. Every nanosecond of a thread's life is in exactly one of them."""

    USER = 0
    SYSTEM = 1
    RUN_QUEUE = 2
    LOCK = 3
    CONDITION = 4
    DISK_READ = 5
    DISK_WRITE = 6
    NETWORK = 7
    PAGE_FAULT = 8
    SLEEP = 9
    THROTTLED = 10
    STOPPED = 11
    STOLEN = 12
    OTHER = 13  # a wait of a known but unlisted cause
    UNKNOWN = 14  # no record says what the thread did

    @property
    def key(self) -> str:
        """Return the name in documents: "run_queue"."""
        return self.name.lower()


RUNNING_STATES = (ThreadState.USER, ThreadState.SYSTEM)


BLOCK = 1 << 18  # intervals


@dataclass(frozen=True, slots=True)
class Intervals:
    """Intervals of threads, sorted by thread, then by time; those of a thread leave no gap.

    ``sample``: row of SwitchSamples with the stack of the wait, or NO_ROW.
    ``wake_up``: row of WakeUps that ended the wait, or NO_ROW.
    """

    thread: Indices
    begin_ns: Times
    end_ns: Times
    state: Codes  # ThreadState
    sample: Indices
    wake_up: Indices

    @property
    def duration_ns(self) -> npt.NDArray[np.int64]:
        """Return the lengths of the intervals."""
        return (self.end_ns - self.begin_ns).astype(np.int64)

    def blocks(self) -> Iterator["Intervals"]:
        """Yield the intervals in blocks, of which temporary arrays are small."""
        for begin in range(0, len(self.thread), BLOCK):
            part = slice(begin, begin + BLOCK)
            yield Intervals(
                self.thread[part],
                self.begin_ns[part],
                self.end_ns[part],
                self.state[part],
                self.sample[part],
                self.wake_up[part],
            )
