"""Weights of a profile by time, for selecting a period in the flame page."""

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from harness.page.subsecond_map import MOST_COLUMNS, column_seconds
from topdown.stacks.numbering import sums_by_key
from topdown.stacks.profile import Profile
from topdown.stacks.sample_times import SampleTimes

MAX_ROWS = 500_000  # about 2 MB in the page
_SECOND_NS = 1_000_000_000
Int64 = npt.NDArray[np.int64]


class TimeBins(Struct, frozen=True):
    """Samples and values by weight of the profile and bin of time, sorted by weight.

    ``row`` is an index into the profile's weights. A bin lasts ``bin_ns``.
    """

    row: Int64
    bin: Int64
    samples: Int64
    value: Int64
    count: int  # of bins
    bin_ns: int


class TimeGrid(Struct, frozen=True):
    """Bins of time that several panels of a page share; ``begin_ns`` is of CLOCK_MONOTONIC."""

    begin_ns: int
    bin_ns: int
    count: int


def time_bins(profile: Profile, grid: TimeGrid | None = None) -> TimeBins | None:
    """Return the weights by time; None without times, or if the page would be too large.

    Without ``grid`` the bins divide the columns of the map of samples over time.
    """
    times = profile.times
    if times is None or not len(times.node):
        return None
    shift_ns = 0 if grid is None else times.begin_ns - grid.begin_ns
    grid = grid or _map_grid(times)
    bins, bin_ns = grid.count, grid.bin_ns
    width = len(profile.threads)
    pairs = profile.weight_node.astype(np.int64) * width + profile.weight_thread
    order = np.argsort(pairs)
    sorted_pairs = pairs[order]

    def row_and_bin(block: slice) -> Int64:
        place = np.clip((times.since_ns(block) + shift_ns) // bin_ns, 0, bins - 1)
        sample_pairs = times.node[block].astype(np.int64) * width + times.thread[block]
        return order[np.searchsorted(sorted_pairs, sample_pairs)] * bins + place

    keys, samples, value = sums_by_key(row_and_bin, times.value, len(pairs) * bins)
    if len(keys) > MAX_ROWS:
        return None
    return TimeBins(keys // bins, keys % bins, samples, value, bins, bin_ns)


def _map_grid(times: SampleTimes) -> TimeGrid:
    """Return the bins of the map of samples over time, from the first sample."""
    column_s = column_seconds(times.last_ns)
    columns = times.last_ns // (column_s * _SECOND_NS) + 1
    parts = max(1, MOST_COLUMNS // columns)
    return TimeGrid(0, column_s * _SECOND_NS // parts, columns * parts)
