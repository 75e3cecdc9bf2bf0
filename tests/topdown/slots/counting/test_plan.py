"""What is counted for a tree: complete sets, encodings, led groups, and what cannot be counted."""

import pytest

from topdown.slots.counting.counting_mode import (
    METRICS,
    CountingMode,
)
from topdown.slots.counting.plan import SLOTS, Encoding, formulas_for, nodes_down_to, plan_of
from topdown.slots.model import CLOCKS, keys, load

REGISTER = CountingMode(metrics=frozenset(METRICS.values()), msr_type=10)


@pytest.mark.parametrize("key", keys())
def test_every_event_of_every_node_is_planned_or_uncountable(key: str) -> None:
    model = load(key)
    modes = [
        CountingMode(),
        CountingMode(smt=True, ebs_mode="ebs_mode" in model.variants),
        REGISTER,
    ]
    for mode in modes:
        plan = plan_of(model, mode, nodes_down_to(model, None))
        in_sets = {event for event_set in plan.sets for event in event_set.events}
        assert in_sets == set(plan.events)
        for name in model.nodes:
            for event in formulas_for(model, mode).events[name]:
                known = event in plan.uncountable or event in CLOCKS or event in model.events
                assert known, event
        for event_set in plan.sets:
            assert model.cycles in event_set.events or event_set.name == "TSC"
            assert len(set(event_set.events)) == len(event_set.events)


def test_a_formula_larger_than_the_counters_is_cut_at_its_nodes() -> None:
    model = load("hsx")
    plan = plan_of(model, CountingMode(smt=True), ["Memory_Bound"])
    names = {event_set.name for event_set in plan.sets}
    assert max(len(event_set.events) for event_set in plan.sets) < len(plan.events)
    assert "Memory_Bound" in names


def test_fields_of_the_slots_register_are_led_by_slots() -> None:
    model = load("spr")
    plan = plan_of(model, REGISTER, nodes_down_to(model, 2))
    led = [
        event_set
        for event_set in plan.sets
        if any(name.startswith("PERF_") for name in event_set.events)
    ]
    assert led
    for item in led:
        assert (item.events[0], item.leader) == (SLOTS, SLOTS)
    assert "TOPDOWN.SLOTS" not in plan.events
    without = plan_of(model, CountingMode(), nodes_down_to(model, 2))
    assert not any(name.startswith("PERF_METRICS") for name in without.events)
    assert without.events["TOPDOWN.SLOTS"].config == 0x1A4
    field = "PERF_METRICS.HEAVY_OPERATIONS"
    options = plan_of(model, REGISTER, ["Frontend_Bound"], requested={field: Encoding(4, 0x8400)})
    assert (
        next(event_set for event_set in options.sets if field in event_set.events).leader == SLOTS
    )
    assert plan.only([SLOTS, "CPU_CLK_UNHALTED.THREAD"]).sets[0].leader == SLOTS


def test_offcore_codes_have_an_extra_register() -> None:
    model = load("icx")
    name = "OCR.DEMAND_RFO.L3_HIT.SNOOP_HITM"
    plan = plan_of(model, REGISTER, nodes_down_to(model, None))
    assert plan.events[name] == Encoding(4, 0x1B7, 0x10003C0002)
    latencies = plan_of(load("gnr"), REGISTER, nodes_down_to(load("gnr"), None)).uncountable
    assert "only precise sampling" in latencies["MEM_LOAD_RETIRED.L3_HIT:retire_latency"]
    no_clock = plan_of(model, CountingMode(msr_type=None), nodes_down_to(model, None))
    assert "time stamp counter" in no_clock.uncountable["DURATION_TIME"]
    assert plan.events["TSC"] == Encoding(10, 0)


def test_broken_events_are_not_counted() -> None:
    model = load("skl")
    plan = plan_of(
        model, CountingMode(), nodes_down_to(model, 1), broken={"UOPS_ISSUED.ANY": "never moved"}
    )
    assert "UOPS_ISSUED.ANY" not in plan.events
    assert plan.uncountable == {"UOPS_ISSUED.ANY": "never moved"}
