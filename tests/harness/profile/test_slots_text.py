"""The table and the result of counts by function, for constructed values."""

from harness.profile.slots_text import table
from topdown.slots.function_slots import SlotsByFunction
from topdown.stacks.profile import Profile


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
