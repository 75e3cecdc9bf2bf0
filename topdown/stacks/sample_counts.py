"""Counts of a group of events by sample."""

import numpy as np
import numpy.typing as npt
from msgspec import Struct


class ExcludedSamples(Struct, frozen=True):
    """Numbers of samples whose counts are assigned to no function, by reason."""

    unread: int = 0  # no reading, or a reading without the whole group
    first: int = 0  # no earlier reading, so the start of the interval is unknown
    gap: int = 0  # samples before it are missing
    reset: int = 0  # the counts went backwards

    def total(self) -> int:
        """Return the number of excluded samples."""
        return self.unread + self.first + self.gap + self.reset


class SampleCounts(Struct, frozen=True):
    """Counts of a group's events by sample, in the order of the profile's samples.

    ``events``: names of the events; the sampled event has index ``sampled``.
    ``delta`` float64 (n_samples, n_events): counts since the previous sample, scaled if the group
    was multiplexed; 0 if ``used`` is false.
    ``used`` bool (n_samples,): the counts are assigned to a function.
    ``before`` intp (n_samples,): index of the previous sample of the same counters, -1 if none.
    ``node`` int32 (n_samples,): leaf node in the profile's tree.
    ``running``: share of the time, 0..1, for which the least counted thread or CPU was counted.
    ``gap_share``: share of the sampled event's counts, 0..1, that lies in gaps.
    """

    events: tuple[str, ...]
    sampled: int
    delta: npt.NDArray[np.float64]
    used: npt.NDArray[np.bool_]
    before: npt.NDArray[np.intp]
    node: npt.NDArray[np.int32]
    left_out: ExcludedSamples
    running: float
    gap_share: float
