"""The caches of a CPU, as sysfs describes them."""

import re
from dataclasses import dataclass
from pathlib import Path

from stallscope.system_files import names_in, read_integer, read_text

MAX_CACHE_BYTES = 16 * 2**30  # larger values in sysfs are damaged
_SIZE = re.compile(r"(\d{1,12})([KMG]?)")
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


@dataclass(frozen=True, slots=True)
class CpuCache:
    """One cache of a CPU; None for fields that sysfs omits."""

    level: int
    size_bytes: int
    ways: int | None
    line_bytes: int | None
    shared_cpus: str  # a kernel list such as "0-3,8"; empty if sysfs omits it


def data_caches(sysfs: Path, cpu: int = 0) -> tuple[CpuCache, ...]:
    """Return the data and unified caches of a CPU by level; empty if sysfs lists none.

    ``sysfs`` is /sys or that of a recorded machine. A hypervisor may report caches that the guest
    does not get.
    """
    return _caches(sysfs, cpu, ("Data", "Unified"))


def code_caches(sysfs: Path, cpu: int = 0) -> tuple[CpuCache, ...]:
    """Return the instruction and unified caches of a CPU by level; empty if sysfs lists none."""
    return _caches(sysfs, cpu, ("Instruction", "Unified"))


def _caches(sysfs: Path, cpu: int, kinds: tuple[str, ...]) -> tuple[CpuCache, ...]:
    folder = sysfs / f"devices/system/cpu/cpu{cpu}/cache"
    caches = (_cache(folder / name, kinds) for name in names_in(folder) if name.startswith("index"))
    return tuple(sorted((cache for cache in caches if cache), key=lambda cache: cache.level))


def _cache(folder: Path, kinds: tuple[str, ...]) -> CpuCache | None:
    level = read_integer(folder / "level")
    size = _SIZE.fullmatch(read_text(folder / "size", 64) or "")
    kind = read_text(folder / "type", 64)
    if level is None or not 1 <= level <= 9 or size is None or kind not in kinds:
        return None
    size_bytes = int(size[1]) * _UNITS[size[2]]
    if not 0 < size_bytes <= MAX_CACHE_BYTES:
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
