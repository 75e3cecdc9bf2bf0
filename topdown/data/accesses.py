"""Sampled memory accesses with their addresses: operation, cache level, latency, node.

The kernel describes an access in a word (perf_mem_data_src in linux/perf_event.h), the same for
Intel's PEBS, AMD's IBS and Arm's SPE. Fields that a CPU does not report say so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from stallscope._native import Capture

NO_ACCESS = 0xFFFF_FFFF  # of a sample, in Capture.access

_OPERATION_LOAD, _OPERATION_STORE = 0x02, 0x04
_LEVEL_SHIFT, _LEVEL_BITS = 5, 14
_LEVEL_HIT, _LEVEL_MISS = 0x02, 0x04
_SNOOP_SHIFT, _SNOOP_BITS, _SNOOP_MODIFIED = 19, 5, 0x10
_NUMBER_SHIFT, _NUMBER_BITS = 33, 4
_REMOTE_SHIFT = 37
_SNOOP_EXTRA_SHIFT, _SNOOP_EXTRA_BITS, _SNOOP_PEER = 38, 2, 0x02


class MemoryLevel(Enum):
    """Where an access got its data."""

    L1 = "L1"
    FILL_BUFFER = "fill buffer"
    L2 = "L2"
    L3 = "L3"
    MEMORY = "memory"
    REMOTE_CACHE = "remote cache"
    REMOTE_MEMORY = "remote memory"
    OTHER = "other"  # I/O, uncached, persistent memory
    UNKNOWN = "unknown"


# PERF_MEM_LVL_* in the order of their bits from 0x08, and PERF_MEM_LVLNUM_* by number.
_LEVELS_BY_BIT = (
    MemoryLevel.L1, MemoryLevel.FILL_BUFFER, MemoryLevel.L2, MemoryLevel.L3, MemoryLevel.MEMORY,
    MemoryLevel.REMOTE_MEMORY, MemoryLevel.REMOTE_MEMORY, MemoryLevel.REMOTE_CACHE,
    MemoryLevel.REMOTE_CACHE, MemoryLevel.OTHER, MemoryLevel.OTHER,
)  # fmt: skip
_FIRST_LEVEL_BIT = 3
_LEVELS_BY_NUMBER = {
    0x1: MemoryLevel.L1, 0x2: MemoryLevel.L2, 0x3: MemoryLevel.L3, 0x4: MemoryLevel.L3,
    0x5: MemoryLevel.L2, 0x6: MemoryLevel.L3, 0x8: MemoryLevel.OTHER, 0x9: MemoryLevel.OTHER,
    0xA: MemoryLevel.OTHER, 0xB: MemoryLevel.L3, 0xC: MemoryLevel.FILL_BUFFER,
    0xD: MemoryLevel.MEMORY, 0xE: MemoryLevel.OTHER,
}  # fmt: skip
LEVELS = tuple(MemoryLevel)


@dataclass(frozen=True, slots=True)
class Accesses:
    """Memory accesses as columns (n,).

    ``sample``: index of the sample in the capture, -1 for accesses of a trace. ``level``: index
    into LEVELS. ``modified``: the line was changed in another cache. ``latency``: cycles, 0 if not
    known. ``physical``: 0 if not known. ``frame``: leaf frame, -1 if not known.
    """

    sample: npt.NDArray[np.int64]
    address: npt.NDArray[np.uint64]
    physical: npt.NDArray[np.uint64]
    is_store: npt.NDArray[np.bool_]
    level: npt.NDArray[np.uint8]
    modified: npt.NDArray[np.bool_]
    latency: npt.NDArray[np.uint64]
    thread: npt.NDArray[np.int64]
    cpu: npt.NDArray[np.int32]
    process: npt.NDArray[np.int64]
    frame: npt.NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of accesses."""
        return len(self.address)

    @property
    def misses(self) -> npt.NDArray[np.bool_]:
        """Return which accesses are known to have missed the first cache."""
        return np.isin(self.level, [LEVELS.index(level) for level in _BEYOND_L1])

    @classmethod
    def joined(cls, parts: "Sequence[Accesses]") -> "Accesses":
        """Return the accesses of all parts, of which there is at least one."""
        names = [column.name for column in fields(cls)]
        return cls(
            *(np.concatenate([getattr(accesses, name) for accesses in parts]) for name in names)
        )


_BEYOND_L1 = (
    MemoryLevel.L2, MemoryLevel.L3, MemoryLevel.MEMORY, MemoryLevel.REMOTE_CACHE,
    MemoryLevel.REMOTE_MEMORY, MemoryLevel.FILL_BUFFER, MemoryLevel.OTHER,
)  # fmt: skip


def no_accesses() -> Accesses:
    """Return columns without rows."""
    numbers, words, flags = np.zeros(0, np.int64), np.zeros(0, np.uint64), np.zeros(0, np.bool_)
    return Accesses(
        sample=numbers,
        address=words,
        physical=words,
        is_store=flags,
        level=np.zeros(0, np.uint8),
        modified=flags,
        latency=words,
        thread=numbers,
        cpu=np.zeros(0, np.int32),
        process=numbers,
        frame=numbers,
    )


def sampled_accesses(capture: "Capture", leaves: npt.NDArray[np.int64]) -> Accesses:
    """Return the accesses of the samples that recorded one; ``leaves``: leaf frame by sample."""
    rows = capture.access
    samples = np.flatnonzero(rows != NO_ACCESS) if len(rows) else np.zeros(0, np.intp)
    chosen = rows[samples].astype(np.intp)
    source = capture.access_source[chosen]
    operation = source & np.uint64(0x1F)
    is_access = (operation & np.uint64(_OPERATION_LOAD | _OPERATION_STORE)) != 0
    samples, chosen, source = samples[is_access], chosen[is_access], source[is_access]
    threads = capture.thread[samples].astype(np.int64)
    table = capture.threads
    processes = np.array([thread.pid for thread in table] or [0], np.int64)
    return Accesses(
        sample=samples.astype(np.int64),
        address=capture.access_address[chosen],
        physical=capture.access_physical_address[chosen],
        is_store=(source & np.uint64(_OPERATION_STORE)) != 0,
        level=levels_of(source),
        modified=_modified(source),
        latency=capture.access_weight[chosen],
        thread=threads,
        cpu=capture.cpu[samples],
        process=processes[threads],
        frame=leaves[samples],
    )


def levels_of(source: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint8]:
    """Return the level of each access, as an index into LEVELS.

    The level's number is newer and exact; the bits can name a level that was missed.
    """
    numbers = (source >> np.uint64(_NUMBER_SHIFT)) & np.uint64((1 << _NUMBER_BITS) - 1)
    remote = ((source >> np.uint64(_REMOTE_SHIFT)) & np.uint64(1)) != 0
    bits = (source >> np.uint64(_LEVEL_SHIFT)) & np.uint64((1 << _LEVEL_BITS) - 1)
    level = np.full(len(source), LEVELS.index(MemoryLevel.UNKNOWN), np.uint8)
    hit = (bits & np.uint64(_LEVEL_HIT)) != 0
    missed = (bits & np.uint64(_LEVEL_MISS)) != 0
    for bit, name in enumerate(_LEVELS_BY_BIT, start=_FIRST_LEVEL_BIT):
        here = (bits & np.uint64(1 << bit)) != 0
        level[here & hit] = LEVELS.index(name)
        # A miss of a level says only that the data came from beyond it.
        beyond = {MemoryLevel.L1: MemoryLevel.L2, MemoryLevel.L2: MemoryLevel.L3}.get(
            name, MemoryLevel.MEMORY
        )
        level[here & missed & ~hit] = LEVELS.index(beyond)
    for number, name in _LEVELS_BY_NUMBER.items():
        level[numbers == number] = LEVELS.index(name)
    is_memory = level == LEVELS.index(MemoryLevel.MEMORY)
    level[remote & is_memory] = LEVELS.index(MemoryLevel.REMOTE_MEMORY)
    in_cache = np.isin(level, [LEVELS.index(MemoryLevel.L2), LEVELS.index(MemoryLevel.L3)])
    level[remote & in_cache] = LEVELS.index(MemoryLevel.REMOTE_CACHE)
    return level


def _modified(source: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Return which accesses took their line from another cache; Arm reports it as a peer."""
    snoop = (source >> np.uint64(_SNOOP_SHIFT)) & np.uint64((1 << _SNOOP_BITS) - 1)
    extra = (source >> np.uint64(_SNOOP_EXTRA_SHIFT)) & np.uint64((1 << _SNOOP_EXTRA_BITS) - 1)
    from_peer = (extra & np.uint64(_SNOOP_PEER)) != 0
    return np.asarray(((snoop & np.uint64(_SNOOP_MODIFIED)) != 0) | from_peer)
