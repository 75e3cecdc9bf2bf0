"""Counts by function in the document."""

import json

from harness.profile.counted import caveats, counted_result
from stallscope.documents import encode
from topdown.slots.function_slots import SlotsByFunction
from topdown.stacks.profile import Profile


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
