"""What is counted for a tree: complete sets, encodings, led groups, and what cannot be counted."""

import json
from pathlib import Path

import pytest

from stallscope.documents import encode
from stallscope.errors import UnableError, UsageError
from stallscope.system_files import Roots
from topdown.slots.counting.counting_mode import (
    METRICS,
    CountingMode,
    core_pmu,
    counting_mode_of,
    lone_siblings,
)
from topdown.slots.counting.plan import SLOTS, Encoding, formulas_for, nodes_down_to, plan_of
from topdown.slots.counting.plan_file import Subject, plan_record
from topdown.slots.counting.requested_events import requested_events, unknown_event_error
from topdown.slots.model import CLOCKS, keys, load

MACHINES = Path(__file__).parents[3] / "machines"
REGISTER = CountingMode(metrics=frozenset(METRICS.values()), msr_type=10)


def machine(folder: Path, pmus: dict[str, list[str]], *, smt: int | None = None) -> Roots:
    devices = folder / "sys/bus/event_source/devices"
    for number, (name, events) in enumerate(pmus.items(), 4):
        (devices / name / "events").mkdir(parents=True)
        (devices / name / "type").write_text(f"{number}\n")
        for event in events:
            (devices / name / "events" / event).write_text("event=0x0\n")
    if smt is not None:
        active = folder / "sys/devices/system/cpu/smt/active"
        active.parent.mkdir(parents=True)
        active.write_text(f"{smt}\n")
    return Roots.recorded(folder)


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


def test_level_one_of_skylake_is_one_set_of_events() -> None:
    plan = plan_of(load("skl"), CountingMode(), nodes_down_to(load("skl"), 1))
    assert set(plan.events) == {
        "INST_RETIRED.ANY",
        "CPU_CLK_UNHALTED.THREAD",
        "IDQ_UOPS_NOT_DELIVERED.CORE",
        "UOPS_ISSUED.ANY",
        "UOPS_RETIRED.RETIRE_SLOTS",
        "INT_MISC.RECOVERY_CYCLES",
    }
    document = json.loads(encode(plan_record(plan, Subject(load("skl")))))
    assert document["schema"] == "stallscope.count-plan/1"
    assert document["events"]["UOPS_ISSUED.ANY"] == {
        "type": 4,
        "config": "0x10e",
        "config1": "0x0",
        "config2": "0x0",
    }


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


def test_the_way_follows_the_machine(tmp_path: Path) -> None:
    old = machine(tmp_path / "old", {"cpu": ["cpu-cycles"], "msr": ["tsc"]}, smt=1)
    assert counting_mode_of(load("skl"), old, per_process=True) == CountingMode(
        True, True, msr_type=5
    )
    assert counting_mode_of(load("skl"), old, per_process=False) == CountingMode(
        True, False, msr_type=5
    )
    fields = ["slots", "topdown-retiring", "topdown-fe-bound"]
    new = machine(tmp_path / "new", {"cpu": fields}, smt=0)
    mode = counting_mode_of(load("icx"), new, per_process=True)
    assert mode.metrics == {"PERF_METRICS.RETIRING", "PERF_METRICS.FRONTEND_BOUND"}
    arm = machine(tmp_path / "arm", {"software": [], "armv8_pmuv3_0": ["cpu_cycles"]})
    assert counting_mode_of(load("neoverse-n1"), arm, per_process=True) == CountingMode(
        event_type=5
    )


def test_no_counters_and_several_kinds_of_cores_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnableError, match="no hardware counters") as error:
        core_pmu(Roots.recorded(MACHINES / "vm-without-pmu"))
    assert "--source model -- CMD" in error.value.remedy
    assert "stallscope profile" in error.value.remedy
    hybrid = machine(tmp_path / "hybrid", {"cpu_core": ["slots"], "cpu_atom": []})
    with pytest.raises(UnableError, match="several kinds of cores"):
        core_pmu(hybrid)
    big_little = machine(tmp_path / "arm", {"armv8_cortex_a53": [], "armv8_cortex_a72": []})
    with pytest.raises(UnableError, match="cortex_a53 on CPUs"):
        core_pmu(big_little)
    assert core_pmu(Roots.recorded(MACHINES / "intel-metal")).name == "cpu"


def test_cpus_whose_other_thread_is_left_out_are_named(tmp_path: Path) -> None:
    for cpu, siblings in enumerate(("0,2", "1,3", "0,2", "1,3")):
        topology = tmp_path / f"sys/devices/system/cpu/cpu{cpu}/topology"
        topology.mkdir(parents=True)
        (topology / "thread_siblings_list").write_text(siblings + "\n")
    roots = Roots.recorded(tmp_path)
    assert lone_siblings("0,2", roots) == ()
    assert lone_siblings("0-2", roots) == (1,)


def test_requested_events_have_their_own_sets() -> None:
    model = load("skl")
    words = [
        "uops_issued.any,r01c2",
        "cpu/event=0xd1,umask=0x8/",
        "page-faults",
        "skl::UOPS_ISSUED.ANY",
    ]
    result = {
        requested_event.spelling: requested_event
        for requested_event in requested_events(words, model, CountingMode())
    }
    assert result["uops_issued.any"].event == "UOPS_ISSUED.ANY"
    assert result["uops_issued.any"].encoding == Encoding(4, 0x10E)
    assert result["r01c2"].encoding.config == 0x1C2
    assert result["cpu/event=0xd1,umask=0x8/"].encoding.config == 0x8D1
    assert result["page-faults"].encoding == Encoding(name="page-faults")
    assert len(result) == 4  # the last is the first in libpfm4's spelling
    plan = plan_of(
        model,
        CountingMode(),
        ["Retiring"],
        requested={item.event: item.encoding for item in result.values()},
    )
    assert {"page-faults", "UOPS_ISSUED.ANY"} <= set(plan.events)
    with pytest.raises(UsageError, match="invalid event name"):
        requested_events(["a b"], model, CountingMode())
    with pytest.raises(UsageError, match="the limit is 64"):
        requested_events([f"r{code:x}" for code in range(1, 99)], None, CountingMode())


def test_an_unknown_event_suggests_the_nearest() -> None:
    error = unknown_event_error("UOPS_ISUED.ANY", load("skl"), "libpfm4 has none")
    assert "UOPS_ISSUED.ANY" in error.remedy
    assert "Skylake" in error.message
