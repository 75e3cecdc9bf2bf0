import numpy as np
import pytest

from tests.topdown.requests.request_recording import recording
from topdown.requests.explanation import ClassPair
from topdown.requests.places import StackTimes, main_place, stack_differences
from topdown.waits.stack_names import StackNames

NAMES = StackNames.build(
    [
        ((), ("fsync", "flush", "handle", "main")),
        ((), ("write", "flush", "handle", "main")),
        ((), ("read", "load", "handle", "main")),
    ]
)


def times(slow: list[float], median: list[float]) -> StackTimes:
    return StackTimes(np.arange(3, dtype=np.uint32), np.array(slow), np.array(median))


def test_a_place_ends_where_callees_share_the_difference() -> None:
    place = main_place(times([50, 50, 10], [0, 0, 10]), NAMES)
    assert place.chain == ("flush", "handle", "main")
    assert place.slow_ns == 100
    assert place.median_ns == 0


def test_a_place_is_the_innermost_function_with_most_of_the_difference() -> None:
    place = main_place(times([90, 5, 30], [0, 0, 30]), NAMES)
    assert place.chain[0] == "fsync"


def test_without_a_difference_there_is_no_place() -> None:
    assert main_place(times([1, 1, 1], [1, 1, 1]), NAMES).chain == ()


def test_call_chains_are_listed_by_their_difference() -> None:
    recorded = recording("disk")
    pair = ClassPair.of(recorded.built.records, recorded.requests, recorded.classes)
    first = stack_differences(
        recorded.built.records,
        recorded.kinds.intervals,
        recorded.built.names,
        pair.slow,
        pair.median,
    )[0]
    assert first.state == "disk_write"
    assert "flush_log" in first.chain
    assert first.slow_ns - first.median_ns == pytest.approx(8e6, rel=0.05)
