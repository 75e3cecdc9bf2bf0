"""A replayed reading as a measurement: the source, the bottleneck and its reason."""

import pytest

from topdown.slots.counts import EventCounts, counts_of
from topdown.slots.evaluation import evaluate
from topdown.slots.measurement import Measurement
from topdown.slots.model import load
from topdown.slots.replay.measurement import measurement_of_reading
from topdown.slots.threshold_path import has_thresholds, path_by_thresholds

BALANCED = {
    "CPU_CLK_UNHALTED.THREAD": 1e6,
    "IDQ_UOPS_NOT_DELIVERED.CORE": 1e5,
    "UOPS_ISSUED.ANY": 3.2e6,
    "UOPS_RETIRED.RETIRE_SLOTS": 3.2e6,
    "INT_MISC.RECOVERY_CYCLES": 1e4,
}
FRONT_END = BALANCED | {
    "IDQ_UOPS_NOT_DELIVERED.CORE": 1.5e6,
    "UOPS_ISSUED.ANY": 1.9e6,
    "UOPS_RETIRED.RETIRE_SLOTS": 1.8e6,
}


def replayed(counts: dict[str, float], key: str = "skl") -> Measurement:
    model = load(key)
    reading = EventCounts("counts.json, element 0", counts=counts)
    return measurement_of_reading(reading, evaluate(model, counts_of(model, reading)))


def test_the_source_names_the_file_and_there_are_no_intervals() -> None:
    measurement = replayed(FRONT_END)
    assert measurement.source == "replay of counts.json, element 0"
    assert "a single reading has no intervals" in measurement.interval_label
    assert measurement.bottleneck == ("Frontend_Bound",)
    assert measurement.bottleneck_why == "by the vendor's thresholds"


@pytest.mark.parametrize(
    ("counts", "key", "reason"),
    [
        (
            {name: value for name, value in FRONT_END.items() if name != "UOPS_ISSUED.ANY"},
            "skl",
            "by the vendor's thresholds, among the nodes with a possible value",
        ),
        (
            {"CPU_CLK_UNHALTED.THREAD": 1e6},
            "skl",
            "unknown: not all nodes of level 1 have a possible value",
        ),
        ({"CPU_CYCLES": 1e6}, "neoverse-v1", "this vendor publishes no thresholds"),
    ],
)
def test_the_reason_says_what_is_missing(counts: dict[str, float], key: str, reason: str) -> None:
    assert replayed(counts, key).bottleneck_why == reason


def test_unused_counts_are_named_up_to_a_limit() -> None:
    unused = {f"EVENT_{number}": 1.0 for number in range(8)}
    [(label, text)] = replayed(FRONT_END | unused).facts
    assert label == "unused"
    assert text.endswith("EVENT_4 and 3 more")


def test_a_path_has_one_node_of_each_level() -> None:
    model = load("skl")
    tree = evaluate(model, counts_of(model, EventCounts("x", counts=FRONT_END)))
    assert has_thresholds(tree.model)
    assert [node.name for node in path_by_thresholds(tree)] == ["Frontend_Bound"]
