"""Detected levels compared with the caches in sysfs."""

from dataclasses import dataclass
from math import log2

from harness.labs.memory.levels import Level
from stallscope.cpu_caches import CpuCache

# Sizes that differ by more than this factor belong to different caches.
SAME_FACTOR = 2.0
# A ring larger than the largest cache in sysfs by this factor lies in memory.
BEYOND_FACTOR = 4
SMALLER = "smaller than in sysfs"


@dataclass(frozen=True, slots=True)
class CacheRow:
    """A level, as detected and as in sysfs; either may be missing."""

    name: str  # "L1", "L2", "L3", "memory", or "?" if sysfs has no such cache
    level: Level | None
    cache: CpuCache | None
    verdict: str


def compare_with_sysfs(
    levels: tuple[Level, ...], caches: tuple[CpuCache, ...], largest_ring: int
) -> tuple[CacheRow, ...]:
    """Return a row for every detected level and every cache in sysfs, smallest first.

    A level that ends is matched to the cache nearest to its end, within SAME_FACTOR and in order.
    The last level has no end. It is memory if rings of BEYOND_FACTOR times the largest cache in
    sysfs were measured, otherwise the next cache or anything beyond it.
    """
    if not levels:
        return tuple(CacheRow(f"L{cache.level}", None, cache, "not measured") for cache in caches)
    unmatched = list(caches)
    rows: list[CacheRow] = []
    for level in levels:
        cache = _nearest(level, unmatched)
        if cache is not None:
            index = unmatched.index(cache)
            rows += [_undetected(skipped) for skipped in unmatched[:index]]
            unmatched = unmatched[index + 1 :]
        if level.exceeds_bytes is not None:
            rows.append(_detected(level, cache))
        else:
            rows += _last(level, unmatched, largest_ring)
            unmatched = []
    return (*rows, *map(_undetected, unmatched))


def _distance(level: Level, cache: CpuCache) -> float:
    """Return the distance of the cache's size from the level's end, in octaves."""
    assert level.exceeds_bytes is not None
    low, high = level.fits_bytes, level.exceeds_bytes
    return max(log2(low / cache.size_bytes), log2(cache.size_bytes / high), 0.0)


def _nearest(level: Level, caches: list[CpuCache]) -> CpuCache | None:
    if level.exceeds_bytes is None:
        return None
    near = [cache for cache in caches if _distance(level, cache) <= log2(SAME_FACTOR)]
    return min(near, key=lambda cache: _distance(level, cache), default=None)


def _detected(level: Level, cache: CpuCache | None) -> CacheRow:
    if cache is None:
        return CacheRow("?", level, None, "not in sysfs")
    assert level.exceeds_bytes is not None
    if level.fits_bytes <= cache.size_bytes <= level.exceeds_bytes:
        verdict = "agrees"
    elif level.exceeds_bytes < cache.size_bytes:
        verdict = SMALLER
    else:
        verdict = "larger than in sysfs"
    return CacheRow(f"L{cache.level}", level, cache, verdict)


def _undetected(cache: CpuCache) -> CacheRow:
    return CacheRow(f"L{cache.level}", None, cache, "no step at its size")


def _last(level: Level, unmatched: list[CpuCache], largest_ring: int) -> list[CacheRow]:
    """Return the rows of the level without an end, and of the unmatched caches."""
    largest = max((cache.size_bytes for cache in unmatched), default=0)
    if unmatched and largest_ring < BEYOND_FACTOR * largest:
        first, *others = unmatched
        row = CacheRow(f"L{first.level}", level, first, "no larger ring was measured")
        return [row, *(CacheRow(f"L{c.level}", None, c, "larger than the rings") for c in others)]
    return [*map(_undetected, unmatched), CacheRow("memory", level, None, "larger than all caches")]
