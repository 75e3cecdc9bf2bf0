"""The host's caches as callgrind options: from sysfs, with sets rounded to a power of two."""

import math
from dataclasses import dataclass

from stallscope.cpu_caches import CpuCache, code_caches, data_caches
from stallscope.system_files import Roots

MAX_CACHE_BYTES = 2**31
MIN_LINE_BYTES = 16


@dataclass(frozen=True, slots=True)
class Cache:
    """A simulated cache; ``rounded_from`` is the size of the host's cache if it differs."""

    size_bytes: int
    ways: int
    line_bytes: int
    rounded_from: int | None = None
    assumed: bool = False

    @property
    def option(self) -> str:
        """Return the value of the callgrind option."""
        return f"{self.size_bytes},{self.ways},{self.line_bytes}"


@dataclass(frozen=True, slots=True)
class Caches:
    """The caches of one CPU; ``l3`` is None if the second level is the last."""

    l1i: Cache
    l1d: Cache
    l2: Cache
    l3: Cache | None

    @property
    def notes(self) -> tuple[str, ...]:
        """Return notes about assumed and rounded caches."""
        named = (("L1I", self.l1i), ("L1D", self.l1d), ("L2", self.l2), ("L3", self.l3))
        notes = []
        for name, cache in named:
            if cache is None:
                continue
            if cache.assumed:
                notes.append(
                    f"{name}: the system does not report it; {_kib(cache.size_bytes)} assumed"
                )
            elif cache.rounded_from is not None:
                notes.append(
                    f"{name} of {_kib(cache.rounded_from)} is simulated as "
                    f"{_kib(cache.size_bytes)}: callgrind needs a power of two of sets"
                )
        return tuple(notes)


def _kib(size: int) -> str:
    return f"{size // 2**20} MiB" if size % 2**20 == 0 else f"{size / 1024:g} KiB"


_ASSUMED = {
    "l1": Cache(32 * 2**10, 8, 64, assumed=True),
    "l2": Cache(2**20, 16, 64, assumed=True),
}


def read_caches(roots: Roots = Roots()) -> Caches:  # noqa: B008 - immutable
    """Return the first CPU's caches; an unreported first or second level is assumed."""
    code = {cache.level: _simulated(cache) for cache in code_caches(roots.sys)}
    data = {cache.level: _simulated(cache) for cache in data_caches(roots.sys)}
    return Caches(
        l1i=code.get(1) or _ASSUMED["l1"],
        l1d=data.get(1) or _ASSUMED["l1"],
        l2=data.get(2) or _ASSUMED["l2"],
        l3=data.get(4) or data.get(3),
    )


def _simulated(cache: CpuCache) -> Cache | None:
    return simulated(cache.size_bytes, cache.ways or 8, cache.line_bytes or 64)


def simulated(size_bytes: int, ways: int, line_bytes: int) -> Cache | None:
    """Return the nearest cache that callgrind supports, or None for invalid numbers."""
    valid_line = MIN_LINE_BYTES <= line_bytes <= 4096 and line_bytes & (line_bytes - 1) == 0
    if (
        not valid_line
        or not 1 <= ways <= 4096
        or not line_bytes * ways <= size_bytes <= MAX_CACHE_BYTES
    ):
        return None
    sets = 2 ** round(math.log2(size_bytes / (ways * line_bytes)))
    rounded_bytes = sets * ways * line_bytes
    rounded_from = size_bytes if rounded_bytes != size_bytes else None
    return Cache(rounded_bytes, ways, line_bytes, rounded_from)
