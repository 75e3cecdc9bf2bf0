"""Verdicts on events: a sound CPU's all work, and every planted fault is found."""

import pytest

from tests.topdown.slots.self_test.faults import (
    broken,
    changed,
    read_program_counts,
    sound,
    sound_counts,
)
from tests.topdown.slots.self_test.world import PROGRAMS
from topdown.slots.model import keys, load
from topdown.slots.self_test.rules import rules_of
from topdown.slots.self_test.verdicts import EventVerdict, verdicts

FAMILIES = ("hsx", "skl", "spr", "zen4", "neoverse-v1")


@pytest.mark.parametrize("key", keys())
def test_a_correct_cpu_has_no_broken_event(key: str) -> None:
    result = sound(key)
    assert {name: result[name].reason for name in broken(result)} == {}
    working = sum(item.verdict is EventVerdict.WORKS for item in result.values())
    assert working >= 10
    assert result[load(key).cycles].verdict is EventVerdict.WORKS
    assert result[load(key).instructions].verdict is EventVerdict.WORKS


@pytest.mark.parametrize("key", FAMILIES)
def test_a_dead_event_is_the_only_broken_one(key: str) -> None:
    model = load(key)
    for event in {rule.event for rule in rules_of(model).activity}:
        result = verdicts(model, read_program_counts(model, changed([event], 0)))
        assert broken(result) == {event}, {name: result[name].reason for name in broken(result)}
        assert "counts 0" in result[event].reason


@pytest.mark.parametrize("key", FAMILIES)
def test_an_event_that_counts_double_is_broken_if_its_result_is_known(key: str) -> None:
    model = load(key)
    rules = rules_of(model)
    known = {rule.event for rule in rules.expected if rule.high / rule.low < 1.9}
    known |= {
        event
        for rule in rules.relations
        if rule.sign == "=" and len(rule.events) > 2
        for event in rule.events
    }
    assert known
    largest = {
        event: max(sound_counts(key, kernel)[event] for kernel in PROGRAMS) for event in known
    }
    for event in known:
        if largest[event] < 1e5:
            continue  # as good as nothing in any program, and double of it as well
        result = verdicts(model, read_program_counts(model, changed([event], 2)))
        assert event in broken(result), event


def test_an_event_that_counts_half_is_found() -> None:
    model = load("skl")
    for event in (model.cycles, model.instructions, "MEM_INST_RETIRED.ALL_LOADS"):
        result = verdicts(model, read_program_counts(model, changed([event], 0.5)))
        assert event in broken(result), event


def test_broken_cycles_do_not_break_events_relative_to_them() -> None:
    model = load("skl")
    result = verdicts(model, read_program_counts(model, changed([model.cycles], 2)))
    assert broken(result) == {model.cycles}
    assert "30 dependent additions" in result[model.cycles].reason


def test_swapped_events_are_found() -> None:
    model = load("skl")
    first, other = "MEM_LOAD_RETIRED.L2_HIT", "MEM_LOAD_RETIRED.L3_HIT"

    def fault(_: str, counts: dict[str, float]) -> dict[str, float]:
        return counts | {first: counts[other], other: counts[first]}

    result = verdicts(model, read_program_counts(model, fault))
    assert {first, other} & broken(result)


def test_uncounted_events_have_no_verdict() -> None:
    model = load("skl")

    def fault(_: str, counts: dict[str, float]) -> dict[str, float]:
        del counts["UOPS_ISSUED.ANY"]
        return counts

    result = verdicts(model, read_program_counts(model, fault))
    assert result["UOPS_ISSUED.ANY"].verdict is EventVerdict.UNCOUNTED
    assert broken(result) == set()
    assert result["DECODE.LCP"].verdict is EventVerdict.UNPROVEN
