"""The table and the document of counts by function, of planted results."""

import json
from collections.abc import Callable

import pytest

from harness.profile.slots_text import cautions, document, table
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
def found(profile: Profile) -> SlotsByFunction:
    number = {function.name: index for index, function in enumerate(profile.functions)}
    chase, evil, main = (number[name] for name in ("chase", "evil\x1b[31m", "main"))
    return SlotsByFunction(
        ("cycles", "instructions"), "cycles", "spr", "Sapphire Rapids", 1.0, slots(-1, 102),
        (slots(chase, 100, 0.3), slots(evil, 2)), (slots(main, 102),), ExcludedSamples(1, 2, 3, 4), 0.5, 0.25,
    )  # fmt: skip


def test_the_table_marks_what_dominates_what_cannot_be_and_what_is_blended(
    found: SlotsByFunction, profile: Profile
) -> None:
    head, whole, chase, evil = table(found, profile.functions, 10)
    assert [word for word in ("samples", "IPC", "retiring", "backend") if word in head]
    assert "all" in whole
    assert "~100" in chase
    assert "0.50 ±0.10" in chase
    assert "*80.0 %" in chase
    assert "!-10.0 %" in chase
    assert "\u2013" in chase  # the node without a value
    assert "< 30 samples" in evil
    assert "\x1b" not in evil


def test_the_table_is_cut_and_says_so(found: SlotsByFunction, profile: Profile) -> None:
    assert table(found, profile.functions, 1)[-1] == "and 1 more functions"


def test_what_is_scaled_missing_or_blended_is_said(found: SlotsByFunction) -> None:
    said = " ".join(cautions(found))
    assert "50.0 % of the time" in said
    assert "25.0 % of the counts" in said
    assert "5 samples hold no counts" in said
    assert "marked ~ (1)" in said


def test_the_document_has_null_for_what_is_not_known(
    found: SlotsByFunction, profile: Profile
) -> None:
    made = document(found, profile.functions)
    assert made is not None
    text = json.dumps(made, allow_nan=False)
    read = json.loads(text)
    assert read["left_out"] == {"unread": 1, "first": 2, "gap": 3, "reset": 4}
    chase, evil, main = read["functions"]
    assert chase["nodes"]["Frontend_Bound"]["value"] is None
    assert chase["nodes"]["Memory_Bound"]["parent"] == "Backend_Bound"
    assert chase["ipc"] == {"value": 0.5, "interval": [0.4, 0.6]}
    assert chase["total_counts"] is None
    assert evil["too_few"]
    assert evil["ipc"] is None
    assert main["samples"] == 0
    assert main["total_counts"] == {"cycles": 100.0, "instructions": 50.0}
    assert document(None, profile.functions) is None
