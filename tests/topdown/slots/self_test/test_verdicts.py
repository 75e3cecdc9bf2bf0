"""Verdicts on events: a sound CPU's all work, and every planted fault is found."""

from collections.abc import Callable, Iterable
from functools import cache

import pytest

from tests.topdown.slots.self_test.world import PROGRAMS, counts_of_kernel
from topdown.slots.counts import Counts
from topdown.slots.evaluation import NodeValue, evaluate, formulas_of
from topdown.slots.model import Model, keys, load
from topdown.slots.self_test.program_counts import ProgramCounts, ProgramWork
from topdown.slots.self_test.rules import rules_of
from topdown.slots.self_test.verdicts import EventAssessment, EventVerdict, verdicts

CPU_GHZ = 3.0
FAMILIES = ("hsx", "skl", "spr", "zen4", "neoverse-v1")
Fault = Callable[[str, dict[str, float]], dict[str, float]]


def no_fault(_: str, counts: dict[str, float]) -> dict[str, float]:
    return counts


@cache
def sound_counts(key: str, kernel: str) -> dict[str, float]:
    return counts_of_kernel(load(key), kernel)


def read_program_counts(model: Model, fault: Fault = no_fault) -> list[ProgramCounts]:
    """The known programs on a made-up CPU whose counts a fault may change."""
    result = []
    for kernel, program in PROGRAMS.items():
        sound = sound_counts(model.key, kernel)
        counts = fault(kernel, dict(sound))
        metrics = "generic" in model.variants
        reading = Counts(counts, {}, {}, (), smt=False, ebs_mode=False, perf_metrics=metrics)
        tree = evaluate(model, reading)
        roots = {name: node for name, node in tree.nodes.items() if node.level == 1}
        work = ProgramWork(kernel, "", int(program.iterations), int(sound[model.cycles] / CPU_GHZ))
        options = formulas_of(model.key, smt=False, ebs_mode=False, perf_metrics=metrics).events
        made_of = frozenset().union(*(options[name] for name in roots)) & model.events.keys()
        result.append(ProgramCounts(work, counts, {}, roots, level_one_events=made_of))
    return result


def changed(events: Iterable[str], factor: float) -> Fault:
    """Counters that report a multiple of the true count."""
    names = tuple(events)

    def fault(_: str, counts: dict[str, float]) -> dict[str, float]:
        return counts | {name: counts[name] * factor for name in names}

    return fault


def broken(found: dict[str, EventAssessment]) -> set[str]:
    return {name for name, each in found.items() if each.verdict is EventVerdict.BROKEN}


@cache
def sound(key: str) -> dict[str, EventAssessment]:
    return verdicts(load(key), read_program_counts(load(key)))


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
    one, other = "MEM_LOAD_RETIRED.L2_HIT", "MEM_LOAD_RETIRED.L3_HIT"

    def fault(_: str, counts: dict[str, float]) -> dict[str, float]:
        return counts | {one: counts[other], other: counts[one]}

    result = verdicts(model, read_program_counts(model, fault))
    assert {one, other} & broken(result)


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


def test_uncounted_events_have_no_verdict() -> None:
    model = load("skl")

    def fault(_: str, counts: dict[str, float]) -> dict[str, float]:
        del counts["UOPS_ISSUED.ANY"]
        return counts

    result = verdicts(model, read_program_counts(model, fault))
    assert result["UOPS_ISSUED.ANY"].verdict is EventVerdict.UNCOUNTED
    assert broken(result) == set()
    assert result["DECODE.LCP"].verdict is EventVerdict.UNPROVEN
