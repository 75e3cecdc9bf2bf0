"""The caches of a CPU, as the kernel tells of them in sysfs."""

import re
from dataclasses import dataclass
from pathlib import Path

from stallscope.system_files import names_in, read_integer, read_text

LARGEST_BYTES = 16 * 2**30  # beyond any cache: what claims more is no cache's size
_SIZE = re.compile(r"(\d{1,12})([KMG]?)")
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


@dataclass(frozen=True, slots=True)
class CpuCache:
    """One cache that a CPU reads through; what sysfs leaves out is None."""

    level: int
    size_bytes: int
    ways: int | None
    line_bytes: int | None
    shared_cpus: str  # a kernel list as "0-3,8"; empty where sysfs does not tell


def data_caches(sysfs: Path, cpu: int = 0) -> tuple[CpuCache, ...]:
    """Return a CPU's data and unified caches by level; empty where sysfs names none.

    ``sysfs`` is /sys or a recorded machine's. A hypervisor may tell of caches that are not what the
    guest gets.
    """
    return _caches(sysfs, cpu, ("Data", "Unified"))


def code_caches(sysfs: Path, cpu: int = 0) -> tuple[CpuCache, ...]:
    """Return a CPU's instruction and unified caches by level, as data_caches() does."""
    return _caches(sysfs, cpu, ("Instruction", "Unified"))


def _caches(sysfs: Path, cpu: int, kinds: tuple[str, ...]) -> tuple[CpuCache, ...]:
    folder = sysfs / f"devices/system/cpu/cpu{cpu}/cache"
    found = (_cache(folder / name, kinds) for name in names_in(folder) if name.startswith("index"))
    return tuple(sorted((cache for cache in found if cache), key=lambda cache: cache.level))


def _cache(folder: Path, kinds: tuple[str, ...]) -> CpuCache | None:
    level = read_integer(folder / "level")
    size = _SIZE.fullmatch(read_text(folder / "size", 64) or "")
    kind = read_text(folder / "type", 64)
    if level is None or not 1 <= level <= 9 or size is None or kind not in kinds:
        return None
    size_bytes = int(size[1]) * _UNITS[size[2]]
    if not 0 < size_bytes <= LARGEST_BYTES:
        return None
    return CpuCache(
        level=level,
        size_bytes=size_bytes,
        ways=_positive(folder / "ways_of_associativity"),
        line_bytes=_positive(folder / "coherency_line_size"),
        shared_cpus=(read_text(folder / "shared_cpu_list", 4096) or ""),
    )


def _positive(path: Path) -> int | None:
    number = read_integer(path)
    return number if number is not None and number > 0 else None
