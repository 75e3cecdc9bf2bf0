"""The ratio of counted misses of the instruction cache."""

from dataclasses import replace

import pytest

from harness.labs.stages.instruction_cache import cache_events, counted_miss_ratio
from tests.harness.topdown.measurements import COUNTED
from topdown.slots.measurement import MeasuredNode, Measurement
from topdown.slots.model import keys, load


def counted(**values: float | None) -> Measurement:
    events = (MeasuredNode(name, None, None, value, "events") for name, value in values.items())
    return replace(COUNTED, nodes=(*COUNTED.nodes, *events))


@pytest.mark.parametrize("key", keys())
def test_every_model_has_events(key: str) -> None:
    events = cache_events(key)
    assert events is not None
    named = [name for name in events.names if not name.startswith("0x")]
    assert set(named) <= set(load(key).events)


def test_misses_are_per_access_or_per_instruction() -> None:
    assert (
        counted_miss_ratio(
            counted(L1I_CACHE_REFILL=30.0, L1I_CACHE=1000.0), cache_events("neoverse-v2")
        )
        == 0.03
    )
    assert (
        counted_miss_ratio(counted(**{"0x283": 30.0, "0x183": 970.0}), cache_events("skx")) == 0.03
    )
    per_instruction = counted(**{"FRONTEND_RETIRED.L1I_MISS": 7.9e7})
    assert counted_miss_ratio(per_instruction, cache_events("spr")) == pytest.approx(0.01)


def test_a_missing_count_gives_no_ratio() -> None:
    assert counted_miss_ratio(COUNTED, None) is None
    assert counted_miss_ratio(COUNTED, cache_events("zen4")) is None
    assert counted_miss_ratio(counted(**{"0x283": 3.0, "0x183": None}), cache_events("skx")) is None
