"""The levels that were found, set against those that sysfs tells of."""

from dataclasses import dataclass
from math import log2

from harness.labs.memory.levels import Level
from stallscope.cpu_caches import CpuCache

# Sizes further apart than this factor are those of different caches.
SAME_FACTOR = 2.0
# A ring this much larger than the largest cache in sysfs lies in memory.
BEYOND_FACTOR = 4
SMALLER = "smaller than sysfs says"


@dataclass(frozen=True, slots=True)
class CacheRow:
    """A level by its name, as found and as sysfs has it; either may be missing."""

    name: str  # "L1", "L2", "L3", "memory", or "?" where sysfs has no such cache
    found: Level | None
    told: CpuCache | None
    verdict: str


def against_sysfs(
    levels: tuple[Level, ...], caches: tuple[CpuCache, ...], largest_ring: int
) -> tuple[CacheRow, ...]:
    """Return a row for every level found and every cache told, smallest first.

    A level that ends is matched to the cache nearest to its end, within SAME_FACTOR and in order.
    The last level has no end: it is memory where rings of BEYOND_FACTOR times the largest cache in
    sysfs were measured, else the next cache, or what lies beyond.
    """
    if not levels:
        return tuple(CacheRow(f"L{cache.level}", None, cache, "not looked for") for cache in caches)
    left = list(caches)
    rows: list[CacheRow] = []
    for level in levels:
        told = _nearest(level, left)
        if told is not None:
            rows += [_missed(cache) for cache in left[: left.index(told)]]
            left = left[left.index(told) + 1 :]
        if level.exceeds_bytes is not None:
            rows.append(_found(level, told))
        else:
            rows += _last(level, left, largest_ring)
            left = []
    return (*rows, *(_missed(cache) for cache in left))


def _distance(level: Level, cache: CpuCache) -> float:
    """Return how far the cache's size is outside of where the level ends, in octaves."""
    assert level.exceeds_bytes is not None
    low, high = level.fits_bytes, level.exceeds_bytes
    return max(log2(low / cache.size_bytes), log2(cache.size_bytes / high), 0.0)


def _nearest(level: Level, caches: list[CpuCache]) -> CpuCache | None:
    if level.exceeds_bytes is None:
        return None
    near = [cache for cache in caches if _distance(level, cache) <= log2(SAME_FACTOR)]
    return min(near, key=lambda cache: _distance(level, cache), default=None)


def _found(level: Level, told: CpuCache | None) -> CacheRow:
    if told is None:
        return CacheRow("?", level, None, "sysfs has none")
    assert level.exceeds_bytes is not None
    if level.fits_bytes <= told.size_bytes <= level.exceeds_bytes:
        verdict = "agrees"
    elif level.exceeds_bytes < told.size_bytes:
        verdict = SMALLER
    else:
        verdict = "larger than sysfs says"
    return CacheRow(f"L{told.level}", level, told, verdict)


def _missed(cache: CpuCache) -> CacheRow:
    return CacheRow(f"L{cache.level}", None, cache, "no step at its size")


def _last(level: Level, left: list[CpuCache], largest_ring: int) -> list[CacheRow]:
    """Return the rows of the level without an end, and of the caches not yet matched."""
    largest = max((cache.size_bytes for cache in left), default=0)
    if left and largest_ring < BEYOND_FACTOR * largest:
        first, *others = left
        row = CacheRow(f"L{first.level}", level, first, "no ring is beyond it")
        return [row, *(CacheRow(f"L{c.level}", None, c, "beyond the rings") for c in others)]
    return [*map(_missed, left), CacheRow("memory", level, None, "beyond every cache")]
