"""Times of a profile's samples."""

import numpy as np
import numpy.typing as npt
from msgspec import Struct

MAX_TIME_NS = 1 << 62


class SampleTimes(Struct, frozen=True):
    """The samples of a profile by ascending time, arrays (n_samples,).

    ``clock_ns`` uint64 or int64: as recorded, CLOCK_MONOTONIC; in a file of another tool, its own
    clock. ``node`` int32: leaf in the profile's tree. ``thread``: index into the profile's threads.
    ``value`` int64: weight. ``begin_ns``: of the first sample.
    """

    clock_ns: npt.NDArray[np.integer]
    node: npt.NDArray[np.int32]
    thread: npt.NDArray[np.integer]
    value: npt.NDArray[np.int64]
    begin_ns: int = 0

    @property
    def last_ns(self) -> int:
        """Return the time of the last sample since the first one; there is at least one."""
        return int(self.since_ns(slice(-1, None))[0])

    @property
    def time_ns(self) -> npt.NDArray[np.int64]:
        """Return the times since the first sample, as a new array."""
        return self.since_ns(slice(None))

    def since_ns(self, block: slice) -> npt.NDArray[np.int64]:
        """Return the times of some samples since the first sample."""
        since = self.clock_ns[block].astype(np.uint64)
        since -= np.uint64(self.begin_ns)
        np.minimum(since, np.uint64(MAX_TIME_NS), out=since)
        return since.view(np.int64)
