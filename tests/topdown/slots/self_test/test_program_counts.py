"""Counts of known programs against the rules."""

from tests.topdown.slots.self_test.faults import broken, changed, read_program_counts
from topdown.slots.evaluation import NodeValue
from topdown.slots.model import load
from topdown.slots.self_test.program_counts import ProgramCounts, ProgramWork
from topdown.slots.self_test.verdicts import EventVerdict, verdicts


def test_an_event_above_its_upper_bound_is_broken() -> None:
    model = load("skl")
    result = verdicts(model, read_program_counts(model, changed(["DECODE.LCP"], 1e6)))
    assert result["DECODE.LCP"].verdict is EventVerdict.BROKEN
    assert "the maximum is" in result["DECODE.LCP"].reason


def test_a_wrong_sum_makes_its_events_broken() -> None:
    # Without the slots register, ordinary counters tell level 1.
    ordinary = "TOPDOWN.BACKEND_BOUND_SLOTS"
    roots = {"Backend_Bound": NodeValue("Backend_Bound", 1.5, 1, None, None, (), True)}
    work = ProgramWork("streaming", "", 1000, 1000)
    observation = ProgramCounts(
        work, {ordinary: 7.0}, {}, roots, level_one_events=frozenset((ordinary,))
    )
    assert broken(verdicts(load("spr"), [observation])) == {ordinary}
