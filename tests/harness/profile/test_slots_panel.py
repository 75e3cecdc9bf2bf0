"""Slots by function on the flame page."""

from dataclasses import replace
from typing import Any

from harness.profile.slots_panel import function_summary, payload, section
from topdown.slots.function_slots import SlotsByFunction
from topdown.stacks.profile import Profile


def test_frames_have_the_category_with_most_slots(slots_of_functions: SlotsByFunction) -> None:
    slots = slots_of_functions
    chase, evil = slots.functions
    (main,) = slots.called
    numbers = {chase.index: 5, evil.index: 6, main.index: 7}
    colours: Any = payload(slots, numbers)
    assert colours["by"] == "Slots"
    keys = [key for key, _ in colours["categories"]]
    entries = {entry[0]: entry[1:] for entry in colours["functions"]}
    assert set(entries) == {5, 7}  # too few samples of the other function
    assert keys[entries[5][0]] == "backend_bound"
    assert (entries[5][1], entries[7][1]) == (1, 0)  # by its own samples, with its callees


def test_without_slots_frames_have_the_colour_of_their_ipc(
    slots_of_functions: SlotsByFunction,
) -> None:
    chase = replace(slots_of_functions.functions[0], nodes=(), dominating=None)
    slots = replace(
        slots_of_functions,
        total=replace(slots_of_functions.total, nodes=()),
        functions=(chase,),
        called=(),
    )
    colours: Any = payload(slots, {chase.index: 1})
    assert colours["by"] == "IPC"
    category = colours["functions"][0][1]
    assert colours["categories"][category][0] == "ipc_1"  # an IPC of 0.5
    bare = replace(slots, total=replace(slots.total, ipc=None))
    assert payload(bare, {}) is None


def test_the_summary_of_a_function_has_its_samples(slots_of_functions: SlotsByFunction) -> None:
    text = function_summary(slots_of_functions, slots_of_functions.functions[0])
    assert text.startswith("IPC 0.50, ")
    assert text.endswith(", 100 samples")


def test_the_table_escapes_names_and_is_empty_without_counts(
    slots_of_functions: SlotsByFunction, profile: Profile
) -> None:
    markup = section(slots_of_functions, profile.functions)
    assert "IPC and slots by function" in markup
    assert "fewer than 30 samples" in markup
    assert "\x1b" not in markup
    assert section(None, profile.functions) == ""
