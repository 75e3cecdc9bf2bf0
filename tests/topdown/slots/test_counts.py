"""Counts under the model's names, and the counting mode that they show."""

from topdown.slots.counts import ASSUMED_ALONE, EventCounts, Flags, counts_of, nearest_events
from topdown.slots.model import load

SKYLAKE = load("skl")


def test_a_negative_count_is_missing_with_its_reason() -> None:
    counts = counts_of(SKYLAKE, EventCounts("x", counts={"INST_RETIRED.ANY": -1.0}))
    assert "INST_RETIRED.ANY" not in counts.values
    assert "is negative" in counts.absent["INST_RETIRED.ANY"]


def test_spellings_of_perf_are_the_models_events() -> None:
    counts = counts_of(SKYLAKE, EventCounts("x", counts={"inst_retired.any": 5.0, "nonsense": 1.0}))
    assert counts.values["INST_RETIRED.ANY"] == 5.0
    assert counts.unknown == ("nonsense",)


def test_the_counting_mode_follows_from_the_counted_events() -> None:
    alone = counts_of(SKYLAKE, EventCounts("x", counts={"INST_RETIRED.ANY": 5.0}))
    assert (alone.smt, alone.notes) == (False, (ASSUMED_ALONE,))
    core = counts_of(SKYLAKE, EventCounts("x", counts={"CPU_CLK_UNHALTED.THREAD_ANY": 5.0}))
    assert (core.smt, core.notes) == (True, ())
    said = counts_of(SKYLAKE, EventCounts("x", flags=Flags(smt=False)))
    assert (said.smt, said.notes) == (False, ())


def test_a_mistyped_event_has_near_names() -> None:
    assert "INST_RETIRED.ANY" in nearest_events(SKYLAKE, "inst_retired.eny")
    assert nearest_events(SKYLAKE, "?") == ()
