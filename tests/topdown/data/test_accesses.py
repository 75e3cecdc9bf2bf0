"""The level of an access, from the kernel's description of it."""

import numpy as np
import pytest

from tests.captures.memory_capture import HIT_L1, HIT_L3, HIT_MEMORY, LOAD, MODIFIED, REMOTE
from topdown.data.accesses import LEVELS, MemoryLevel, levels_of

OLD_HIT, OLD_MISS = 0x02 << 5, 0x04 << 5
OLD_L1, OLD_L2, OLD_L3, OLD_REMOTE_MEMORY = 0x08 << 5, 0x20 << 5, 0x40 << 5, 0x100 << 5


@pytest.mark.parametrize(
    ("source", "level"),
    [
        (LOAD | HIT_L1, MemoryLevel.L1),
        (LOAD | HIT_L3, MemoryLevel.L3),
        (LOAD | HIT_L3 | MODIFIED, MemoryLevel.L3),
        (LOAD | HIT_L3 | REMOTE, MemoryLevel.REMOTE_CACHE),
        (LOAD | HIT_MEMORY, MemoryLevel.MEMORY),
        (LOAD | HIT_MEMORY | REMOTE, MemoryLevel.REMOTE_MEMORY),
        (LOAD | OLD_HIT | OLD_L2, MemoryLevel.L2),
        (LOAD | OLD_HIT | OLD_REMOTE_MEMORY, MemoryLevel.REMOTE_MEMORY),
        (LOAD | OLD_MISS | OLD_L1, MemoryLevel.L2),
        (LOAD | OLD_MISS | OLD_L3, MemoryLevel.MEMORY),
        (LOAD, MemoryLevel.UNKNOWN),
        (LOAD | 0xF << 33, MemoryLevel.UNKNOWN),
    ],
)
def test_the_level_is_that_of_the_source(source: int, level: MemoryLevel) -> None:
    assert LEVELS[levels_of(np.array([source], np.uint64))[0]] is level
