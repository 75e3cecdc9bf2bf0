"""The table and the result of counts by function, for constructed values."""

import json
from collections.abc import Callable

import pytest

from harness.profile.counted import caveats, counted_result
from harness.profile.slots_text import table
from stallscope.documents import encode
from topdown.slots.function_slots import FunctionSlots, SlotsByFunction
from topdown.slots.measurement import Interval, Ipc, MeasuredNode
from topdown.stacks.profile import Profile
from topdown.stacks.sample_counts import ExcludedSamples

NODES = (
    MeasuredNode("Retiring", 1, None, 0.2, "slots", False, Interval(0.15, 0.25)),
    MeasuredNode("Backend_Bound", 1, None, 0.8, "slots", True),
    MeasuredNode("Memory_Bound", 2, "Backend_Bound", 0.7, "slots", True),
    MeasuredNode("Bad_Speculation", 1, None, -0.1, "slots", None, impossible=True),
    MeasuredNode("Frontend_Bound", 1, None, None, "slots", None, warnings=("not counted",)),
)


def slots(index: int, samples: int, same: float = 1.0) -> FunctionSlots:
    ipc = Ipc(0.5, 50, 100, Interval(0.4, 0.6))
    few = samples < 30
    return FunctionSlots(
        index, samples, {"cycles": 100.0, "instructions": 50.0}, None if few else ipc,
        () if few else NODES, same, None if few else "Backend_Bound", few,
    )  # fmt: skip


@pytest.fixture
def profile(profile_of: Callable[..., Profile]) -> Profile:
    return profile_of([(("main", "chase"), 100), (("main", "evil\x1b[31m"), 2)])


@pytest.fixture
def slots_of_functions(profile: Profile) -> SlotsByFunction:
    number = {function.name: index for index, function in enumerate(profile.functions)}
    chase, evil, main = (number[name] for name in ("chase", "evil\x1b[31m", "main"))
    return SlotsByFunction(
        ("cycles", "instructions"), "cycles", "spr", "Sapphire Rapids", 1.0, slots(-1, 102),
        (slots(chase, 100, 0.3), slots(evil, 2)), (slots(main, 102),), ExcludedSamples(1, 2, 3, 4), 0.5, 0.25,
    )  # fmt: skip


def test_the_table_marks_dominating_impossible_and_blended_values(
    slots_of_functions: SlotsByFunction, profile: Profile
) -> None:
    head, whole, chase, evil = table(slots_of_functions, profile.functions, 10)
    assert [word for word in ("samples", "IPC", "retiring", "backend") if word in head]
    assert "all" in whole
    assert "~100" in chase
    assert "0.50 ±0.10" in chase
    assert "*80.0 %" in chase
    assert "!-10.0 %" in chase
    assert "\u2013" in chase  # the node without a value
    assert "< 30 samples" in evil
    assert "\x1b" not in evil


def test_a_cut_table_counts_the_other_functions(
    slots_of_functions: SlotsByFunction, profile: Profile
) -> None:
    assert table(slots_of_functions, profile.functions, 1)[-1] == "and 1 more functions"


def test_caveats_name_scaled_missing_and_blended_counts(
    slots_of_functions: SlotsByFunction,
) -> None:
    text = " ".join(caveats(slots_of_functions))
    assert "50.0 % of the time" in text
    assert "25.0 % of the counts" in text
    assert "5 samples have no counts" in text
    assert "marked ~ (1)" in text


def test_unknown_values_are_null_in_the_document(
    slots_of_functions: SlotsByFunction, profile: Profile
) -> None:
    document = json.loads(encode(counted_result(slots_of_functions, profile.functions)))
    assert document["left_out"] == {"unread": 1, "first": 2, "gap": 3, "reset": 4}
    chase, evil, main = document["functions"]
    assert chase["nodes"]["Frontend_Bound"]["value"] is None
    assert chase["nodes"]["Memory_Bound"]["parent"] == "Backend_Bound"
    assert chase["ipc"] == {"value": 0.5, "interval": [0.4, 0.6]}
    assert chase["total_counts"] is None
    assert evil["too_few"]
    assert evil["ipc"] is None
    assert main["samples"] == 0
    assert main["total_counts"] == {"cycles": 100.0, "instructions": 50.0}
