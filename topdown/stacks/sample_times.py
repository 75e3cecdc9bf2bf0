"""Times of a profile's samples."""

import numpy as np
import numpy.typing as npt
from msgspec import Struct


class SampleTimes(Struct, frozen=True):
    """The samples of a profile by ascending time, arrays (n_samples,).

    ``time_ns`` int64: since the first sample of the recording. ``node`` int32: leaf in the
    profile's tree. ``thread`` int32: index into the profile's threads.
    ``value`` int64: weight. ``begin_ns``: CLOCK_MONOTONIC time of the first sample.
    """

    time_ns: npt.NDArray[np.int64]
    node: npt.NDArray[np.int32]
    thread: npt.NDArray[np.int32]
    value: npt.NDArray[np.int64]
    begin_ns: int = 0
