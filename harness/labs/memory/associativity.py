"""The associativity of caches: lines at large strides map to one set and evict each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from harness.labs.memory.levels import Level
from harness.labs.memory.points import PointReading
from stallscope.cpu_caches import CpuCache

# Lines fit a level while the latency rises by less than this share of the step to the next level.
MISS_SHARE = 0.15


@dataclass(frozen=True, slots=True)
class CacheWays:
    """The number of lines of one set that a level holds."""

    level: int
    fits: int  # lines that fit, at every power of two from way_bytes on
    exceeds: int  # the next measured number of lines, which does not fit
    way_bytes: int  # the smallest stride with this limit: the size of a way, or near it
    sysfs_ways: int | None


def find_ways(
    readings: Sequence[PointReading], levels: Sequence[Level], caches: Sequence[CpuCache]
) -> tuple[CacheWays, ...]:
    """Return the ways of levels 1 and 2, if strides of powers of two show them.

    A level is left out if the latency of the next one is unknown, or if all lines fit at every
    stride. Level 2 needs physically contiguous memory: huge pages, and in a virtual machine huge
    pages of the host as well.
    """
    results = []
    for number, (level, following) in enumerate(pairwise(levels[:3]), 1):
        limit_ns = level.latency_ns + MISS_SHARE * (following.latency_ns - level.latency_ns)
        sysfs_ways = next((cache.ways for cache in caches if cache.level == number), None)
        ways = _ways(readings, limit_ns)
        if ways is not None:
            results.append(CacheWays(number, *ways, sysfs_ways))
    return tuple(results)


def _ways(readings: Sequence[PointReading], limit_ns: float) -> tuple[int, int, int] | None:
    """Return the lines that fit, the next number, and the smallest stride with this limit."""
    ends: dict[int, tuple[int, int]] = {}
    ordered = sorted(readings, key=lambda reading: (_stride(reading), reading.point.lines))
    for stride, group in groupby(ordered, key=_stride):
        if stride & (stride - 1) == 0:
            ends[stride] = _end(tuple(group), limit_ns)
    bounded = {stride: end for stride, end in ends.items() if 0 < end[0] < end[1]}
    if not bounded:
        return None
    fewest = min(bounded.values())
    return *fewest, min(stride for stride, end in bounded.items() if end == fewest)


def _stride(reading: PointReading) -> int:
    return reading.point.stride_bytes


def _end(readings: tuple[PointReading, ...], limit_ns: float) -> tuple[int, int]:
    """Return the largest number of lines that fits, and the next; equal if all fit."""
    fits = 0
    for reading in readings:
        if reading.min_ns > limit_ns:
            return fits, reading.point.lines
        fits = reading.point.lines
    return fits, fits
