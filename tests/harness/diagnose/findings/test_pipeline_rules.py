"""The rules of `harness/diagnose/findings` that read pipeline slots: causes and look-alikes."""

import json
from pathlib import Path

import pytest
from msgspec import structs

from harness.diagnose.facts import Facts, Measurements
from harness.diagnose.findings.rules import RULES, find
from harness.diagnose.result import Finding
from harness.diagnose.slots import SlotFacts
from harness.topdown.result import topdown_result
from tests.harness.diagnose.diagnoses import BUSY, cpu, waits
from tests.harness.diagnose.slot_results import counted_slots, node, slots
from tests.topdown.slots.counting.skylake import SKYLAKE
from topdown.slots.replay.measurement import measurement_of_reading
from topdown.slots.replay.model_readings import read_model_readings
from topdown.stacks.profile import Function, FunctionKind

VECTORS = sorted((Path(__file__).parents[3] / "topdown/slots/vectors").glob("*.json"))
TWO_THREADS = "w-1@1 R(code)0-500\nw-2@2 R(code)0-500"
HOT = ((Function("walk", "/bin/work", FunctionKind.USER, (("walk.c:7", 90),)), 0.8),)


def findings(tree: SlotFacts, text: str = BUSY) -> tuple[Finding, ...]:
    return find(Facts.of(waits(text), None, Measurements(slots=tree)))


def causes(tree: SlotFacts, text: str = BUSY) -> list[str]:
    return [finding.cause for finding in findings(tree, text)]


def test_instruction_misses_are_the_front_end() -> None:
    tree = slots(
        Frontend_Bound=0.5,
        Fetch_Latency=0.4,
        ICache_Misses=node(0.3, unit="cycles"),
        Branch_Resteers=node(0.05, unit="cycles"),
    )
    (finding,) = findings(tree)
    assert finding.cause == "front-end"
    assert "not in the cache" in finding.sentence
    assert finding.cost_share == pytest.approx(0.45)
    assert finding.largest_gain == pytest.approx(1 / 0.55)


def test_restarts_after_mispredictions_are_not_the_front_end() -> None:
    tree = slots(
        Frontend_Bound=0.3,
        Fetch_Latency=0.28,
        Branch_Resteers=node(0.25, unit="cycles"),
        Bad_Speculation=0.35,
        Branch_Mispredicts=0.34,
    )
    (finding,) = findings(tree)
    assert finding.cause == "mispredictions"
    assert finding.cost_share == pytest.approx(0.59)


def test_machine_clears_are_not_mispredictions() -> None:
    assert causes(slots(Bad_Speculation=0.4, Branch_Mispredicts=0.12, Machine_Clears=0.28)) == []


def test_a_front_end_below_its_vendors_threshold_does_not_stand_out() -> None:
    assert causes(slots(Frontend_Bound=node(0.3, level=1, above=False))) == []


MEMORY = {
    "Backend_Bound": 0.7,
    "Memory_Bound": 0.6,
    "L1_Bound": node(0.05, unit="cycles"),
    "L2_Bound": node(0.0, unit="cycles"),
    "L3_Bound": node(0.05, unit="cycles"),
    "DRAM_Bound": node(0.5, unit="cycles"),
    "Store_Bound": node(0.0, unit="cycles"),
}


def test_latency_and_bandwidth_of_memory_are_told_apart() -> None:
    latency = slots(**MEMORY, MEM_Latency=node(0.45), MEM_Bandwidth=node(0.05))
    bandwidth = slots(**MEMORY, MEM_Latency=node(0.05), MEM_Bandwidth=node(0.45))
    assert causes(latency) == ["memory-latency"]
    assert "DRAM" in findings(latency)[0].sentence
    assert causes(bandwidth) == ["memory-bandwidth"]
    assert findings(bandwidth)[0].cost_share == pytest.approx(0.45)


def test_without_their_nodes_latency_and_bandwidth_are_not_told_apart() -> None:
    zen = slots(cpu="zen4", backend_bound=0.6, backend_bound_memory=0.5, backend_bound_cpu=0.1)
    (finding,) = findings(zen)
    assert finding.cause == "memory-latency"
    assert "or bandwidth" in finding.sentence
    assert finding.confidence < 0.6


def test_lines_that_cores_take_from_each_other_need_several_threads() -> None:
    shared = {
        "Backend_Bound": 0.8,
        "Memory_Bound": 0.7,
        "L3_Bound": node(0.1, unit="cycles"),
        "Store_Bound": node(0.6, unit="cycles"),
        "False_Sharing": node(0.55, unit="cycles"),
    }
    assert causes(slots(**shared), TWO_THREADS) == ["false-sharing"]
    assert causes(slots(**shared), BUSY) == []


def test_many_stores_of_one_cores_data_are_not_false_sharing() -> None:
    private = {
        "Backend_Bound": 0.8,
        "Memory_Bound": 0.7,
        "Store_Bound": node(0.6, unit="cycles"),
        "False_Sharing": node(0.0, unit="cycles"),
        "Contested_Accesses": node(0.0, unit="cycles"),
    }
    assert "false-sharing" not in causes(slots(**private), TWO_THREADS)


def test_loads_from_another_node_are_remote_memory() -> None:
    remote = slots(
        **MEMORY,
        MEM_Latency=node(0.45),
        MEM_Bandwidth=node(0.05),
        Remote_MEM=node(0.35, unit="cycles"),
    )
    local = slots(
        **MEMORY,
        MEM_Latency=node(0.45),
        MEM_Bandwidth=node(0.05),
        Remote_MEM=node(0.01, unit="cycles"),
    )
    assert causes(remote)[0] == "remote-memory"
    assert causes(local) == ["memory-latency"]


def test_the_divider_is_told_from_other_execution_units() -> None:
    units = {"Backend_Bound": 0.6, "Memory_Bound": 0.05, "Core_Bound": 0.55}
    (divider,) = findings(slots(**units, Divider=node(0.5, unit="cycles")))
    (ports,) = findings(slots(**units, Ports_Utilization=node(0.5, unit="cycles")))
    assert divider.cause == ports.cause == "execution-units"
    assert "divider" in divider.sentence
    assert "divider" not in ports.sentence


def test_a_program_that_retires_does_not_stand_out() -> None:
    tree = slots(
        Retiring=0.85,
        Frontend_Bound=0.06,
        Bad_Speculation=0.03,
        Branch_Mispredicts=0.03,
        Backend_Bound=0.06,
        Memory_Bound=0.03,
        Core_Bound=0.03,
    )
    assert causes(tree) == []


def test_a_value_whose_interval_is_wide_does_not_stand_out() -> None:
    assert causes(slots(Frontend_Bound=node(0.3, level=1, error=0.2))) == []
    assert causes(slots(Frontend_Bound=node(0.3, level=1, error=0.02))) == ["front-end"]


def test_slots_count_by_the_time_in_which_threads_run() -> None:
    tree = slots(Frontend_Bound=0.5)
    text = "main R(code)0-80 W(timer,sleep)80-500"
    assert causes(tree, text) == []  # half of a sixth of the time
    (finding,) = findings(tree, "main R(code)0-250 W(timer,sleep)250-500")
    assert finding.cost_share == pytest.approx(0.25, abs=0.01)


def test_the_hottest_functions_are_the_place() -> None:
    facts = Facts.of(waits(BUSY), None, Measurements(slots=slots(Frontend_Bound=0.5)))
    assert find(facts)[0].where == ()
    measurements = Measurements(cpu=cpu(hottest=HOT), slots=slots(Frontend_Bound=0.5))
    (finding,) = find(Facts.of(waits(BUSY), None, measurements))
    assert [(place.kind, place.name) for place in finding.where] == [
        ("function", "walk"),
        ("line", "walk.c:7"),
    ]


def test_modelled_slots_are_labelled_and_follow_the_models_verdict() -> None:
    nodes = {"backend_bound": 0.8, "divider": 0.7, "core_dependency": 0.1}
    path = ("backend_bound", "divider")
    (finding,) = findings(slots(kind="modelled", bottleneck=path, **nodes))
    assert finding.cause == "execution-units"
    assert finding.sentence.endswith("(modelled).")
    assert finding.rating < 0.7
    assert all("model" in row.source for row in finding.evidence)
    assert causes(slots(kind="modelled", bottleneck=None, **nodes)) == []


def test_the_largest_gain_of_a_modelled_cause_has_what_the_model_does_not_explain() -> None:
    path = ("frontend_bound",)
    tree = slots(kind="modelled", bottleneck=path, frontend_bound=0.5, not_modelled=0.25)
    (finding,) = findings(tree)
    assert finding.cost_share == pytest.approx(0.5)
    assert finding.largest_gain == pytest.approx(1 / 0.25)


def test_modelled_slots_cost_at_most_the_time_in_user_mode() -> None:
    tree = slots(kind="modelled", bottleneck=("frontend_bound",), frontend_bound=0.9)
    document = waits(BUSY)
    (group,) = document.groups
    half = {**group.states_ns, "user": group.wall_ns // 2, "system": group.wall_ns // 2}
    document = structs.replace(document, groups=(structs.replace(group, states_ns=half),))
    (finding,) = find(Facts.of(document, None, Measurements(slots=tree)))
    assert finding.cost_share == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("node_name", "cause"),
    [
        ("dram_bound", "memory-latency"),
        ("l2_bound", "memory-latency"),
        ("dram_bandwidth", "memory-bandwidth"),
        ("core_dependency", "execution-units"),
    ],
)
def test_modelled_parts_of_the_back_end_have_their_cause(node_name: str, cause: str) -> None:
    path = ("backend_bound", node_name)
    nodes = {"backend_bound": 0.7, node_name: 0.65}
    assert causes(slots(kind="modelled", bottleneck=path, **nodes)) == [cause]


def test_counts_of_a_skylake_that_waits_for_memory_are_memory_latency() -> None:
    tree = counted_slots("skl", SKYLAKE)
    assert tree.share("memory") == pytest.approx(0.5, abs=0.1)
    assert "memory-latency" in causes(tree)


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_recorded_counts_of_every_cpu_give_consistent_findings(path: Path) -> None:
    vectors = json.loads(path.read_text())
    for vector, reading in zip(vectors, read_model_readings(path), strict=True):
        measurement = measurement_of_reading(reading.reading, reading.tree())
        tree = SlotFacts.of(topdown_result(measurement))
        assert tree is not None
        facts = Facts.of(waits(TWO_THREADS), None, Measurements(slots=tree))
        for finding in (finding for rule in RULES for finding in rule.find(facts)):
            assert 0 < finding.cost_share <= 1, vector["cpu"]
            assert finding.evidence
            assert all(0 <= row.value <= 1 for row in finding.evidence)
