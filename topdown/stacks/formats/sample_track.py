"""The times of the samples of a file, in compact arrays: 24 bytes per sample."""

from array import array

import numpy as np
import numpy.typing as npt

from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.sample_times import MAX_TIME_NS, SampleTimes

MAX_TIMED_SAMPLES = 1 << 23  # 200 MB


class SampleTrack:
    """Collects time, node, thread and value of samples, in any order.

    track = SampleTrack()
    track.add(1_000, node=3, thread=0, value=250_000)
    times, warnings = track.times(whole=250_000)
    """

    def __init__(self, limit: int = MAX_TIMED_SAMPLES) -> None:
        """Keep at most ``limit`` samples."""
        self._limit = limit
        self._exceeded = False
        self._clock, self._value = array("q"), array("q")
        self._node, self._thread = array("i"), array("i")

    def add(self, clock_ns: int, *, node: int, thread: int, value: int) -> None:
        """Add a sample; beyond the limit all samples are dropped."""
        if self._exceeded or len(self._node) == self._limit:
            self.drop()
            return
        self._clock.append(min(max(clock_ns, -MAX_TIME_NS), MAX_TIME_NS))
        self._node.append(node)
        self._thread.append(thread)
        self._value.append(min(value, MAX_TIME_NS))

    def extend(
        self,
        clock_ns: npt.NDArray[np.int64],
        *,
        node: npt.NDArray[np.int32],
        thread: npt.NDArray[np.int32],
        value: npt.NDArray[np.int64],
    ) -> None:
        """Add samples, one per entry of the arrays; beyond the limit all samples are dropped."""
        if self._exceeded or len(self._node) + len(node) > self._limit:
            self.drop()
            return
        self._clock.frombytes(clock_ns.astype(np.int64).tobytes())
        self._node.frombytes(node.astype(np.int32).tobytes())
        self._thread.frombytes(thread.astype(np.int32).tobytes())
        self._value.frombytes(value.astype(np.int64).tobytes())

    def drop(self) -> None:
        """Drop all samples, because the file has more than the limit."""
        self._exceeded = True
        for column in (self._clock, self._value, self._node, self._thread):
            del column[:]

    @property
    def is_dropped(self) -> bool:
        """Return whether there were more samples than the limit."""
        return self._exceeded

    def times(self, whole: int) -> tuple[SampleTimes | None, tuple[ProfileWarning, ...]]:
        """Return the samples by time, or None with a warning if they are not all samples.

        ``whole``: the sum of the values of all samples of the file. A timeline of a part of them
        would show periods without times as idle.
        """
        if self._exceeded:
            return None, (_warning(f"the file has more than {self._limit:,} samples with times"),)
        if not len(self._node):
            return None, ()
        if whole > MAX_TIME_NS:
            return None, (_warning("the weights are implausibly large"),)
        value = np.array(self._value, np.int64)
        timed = int(value.sum())
        if timed < whole:
            return None, (_warning(f"{1 - timed / whole:.1%} of the weight has no time"),)
        clock = np.array(self._clock, np.int64)
        order = np.argsort(clock, kind="stable")
        clock = clock[order]
        clock -= min(0, int(clock[0]))
        return (
            SampleTimes(
                clock,
                np.array(self._node, np.int32)[order],
                np.array(self._thread, np.int32)[order],
                value[order],
                int(clock[0]),
            ),
            (),
        )


def _warning(reason: str) -> ProfileWarning:
    return ProfileWarning(
        "import-times",
        f"{reason}: no timeline, and no --period or stallscope diff for this file",
    )
