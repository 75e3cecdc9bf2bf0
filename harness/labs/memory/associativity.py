"""How associative the caches are: lines at great strides fall into one set, and evict others."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from harness.labs.memory.levels import Level
from harness.labs.memory.points import Measured
from stallscope.cpu_caches import CpuCache

# Lines fit a level while their latency has risen by less than this share of the step to the next.
MISS_SHARE = 0.15


@dataclass(frozen=True, slots=True)
class Ways:
    """How many lines of one set a level holds, as far as the strides show."""

    level: int
    fits: int  # lines that do, at every power of two from way_bytes on
    exceeds: int  # the next count measured, that does not
    way_bytes: int  # the smallest stride at which only so many fit: a way's size, or near it
    told: int | None  # ways in sysfs


def find_ways(
    measured: Sequence[Measured], levels: Sequence[Level], caches: Sequence[CpuCache]
) -> tuple[Ways, ...]:
    """Return the ways of levels 1 and 2, as far as strides of powers of two show them.

    A level is left out where the next one's latency is not known, or where all lines fit at every
    stride. Level 2 needs memory that is contiguous as the cache sees it: huge pages, and in a
    virtual machine huge pages of the host as well.
    """
    found = []
    for place, (level, following) in enumerate(pairwise(levels[:3]), 1):
        limit_ns = level.latency_ns + MISS_SHARE * (following.latency_ns - level.latency_ns)
        told = next((cache.ways for cache in caches if cache.level == place), None)
        ways = _ways(measured, limit_ns)
        if ways is not None:
            found.append(Ways(place, *ways, told))
    return tuple(found)


def _ways(measured: Sequence[Measured], limit_ns: float) -> tuple[int, int, int] | None:
    """Return the lines that fit, the next count, and the smallest stride at which that is so."""
    ends: dict[int, tuple[int, int]] = {}
    by_stride = sorted(measured, key=lambda each: (each.point.stride_bytes, each.point.lines))
    for stride, group in groupby(by_stride, key=lambda each: each.point.stride_bytes):
        if stride & (stride - 1) == 0:
            ends[stride] = _end(tuple(group), limit_ns)
    bounded = {stride: end for stride, end in ends.items() if 0 < end[0] < end[1]}
    if not bounded:
        return None
    fewest = min(bounded.values())
    return *fewest, min(stride for stride, end in bounded.items() if end == fewest)


def _end(group: tuple[Measured, ...], limit_ns: float) -> tuple[int, int]:
    """Return the greatest count of lines that fits, and the next; the same where all fit."""
    fits = 0
    for each in group:
        if each.least_ns > limit_ns:
            return fits, each.point.lines
        fits = each.point.lines
    return fits, fits
