"""Weights of a profile by time, for selecting a period in the flame page."""

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from harness.page.subsecond_map import MOST_COLUMNS, column_seconds
from topdown.stacks.numbering import numbered
from topdown.stacks.profile import Profile

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


def time_bins(profile: Profile) -> TimeBins | None:
    """Return the weights by time; None without times, or if the page would be too large.

    The bins divide the columns of the map of samples over time.
    """
    times = profile.times
    if times is None or not len(times.time_ns):
        return None
    column_s = column_seconds(times.time_ns)
    columns = int(times.time_ns.max()) // (column_s * _SECOND_NS) + 1
    parts = max(1, MOST_COLUMNS // columns)
    bin_ns = column_s * _SECOND_NS // parts
    place = np.minimum(times.time_ns // bin_ns, columns * parts - 1)
    width = len(profile.threads)
    pairs = profile.weight_node.astype(np.int64) * width + profile.weight_thread
    order = np.argsort(pairs)
    sample_pairs = times.node.astype(np.int64) * width + times.thread
    row = order[np.searchsorted(pairs[order], sample_pairs)]
    bins = columns * parts
    keys, inverse = numbered(row * bins + place, len(pairs) * bins)
    if len(keys) > MAX_ROWS:
        return None
    value = np.zeros(len(keys), np.int64)
    np.add.at(value, inverse, times.value)
    samples = np.bincount(inverse, minlength=len(keys)).astype(np.int64)
    return TimeBins(keys // bins, keys % bins, samples, value, bins, bin_ns)
