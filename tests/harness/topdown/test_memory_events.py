"""Events of the memory hierarchy."""

import pytest

from harness.topdown.memory_events import memory_events
from topdown.slots.model import keys

LEVELS = {"loads", "L1 misses", "L2 misses", "stalls"}


@pytest.mark.parametrize("key", [None, *keys()])
def test_every_cpu_has_events_for_loads_misses_and_stalls(key: str | None) -> None:
    events = memory_events(key)
    assert set(events) >= LEVELS
    assert len(set(events.values())) == len(events)


def test_a_models_events_are_preferred_to_generic_ones() -> None:
    assert memory_events("skx")["L3 misses"] == "MEM_LOAD_RETIRED.L3_MISS"
    assert memory_events("neoverse-n2")["L2 misses"] == "L2D_CACHE_REFILL"
    assert memory_events(None)["L3 misses"] == "LLC-load-misses"
