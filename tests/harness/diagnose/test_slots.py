import pytest

from harness.diagnose.slots import SlotFacts, node_names
from tests.harness.diagnose.slot_results import node, slots, tree


def test_names_of_all_vendors_become_the_same_words() -> None:
    intel = slots(Memory_Bound=0.4, Branch_Mispredicts=0.1)
    amd = slots(backend_bound_memory=0.4, bad_speculation_mispredicts=0.1)
    for facts in (intel, amd):
        assert facts.share("memory") == 0.4
        assert facts.share("mispredictions") == 0.1
        assert facts.share("divider") == 0.0
        assert not facts.has("memory", "divider")


def test_percent_becomes_a_share_with_its_interval() -> None:
    arm = slots(whole=100.0, frontend_bound=node(40.0, unit="percent of slots", error=4.0))
    slot = arm.nodes["front end"]
    assert (slot.share, slot.low, slot.high) == pytest.approx((0.4, 0.36, 0.44))
    assert slot.unit == "slots"
    assert slots(DRAM_Bound=node(0.2, unit="Stalls")).nodes["DRAM"].unit == "cycles"


def test_impossible_and_missing_values_are_left_out() -> None:
    facts = slots(Memory_Bound=node(1.4, impossible=True), Core_Bound=node(None))
    assert not facts.nodes


def test_an_unavailable_source_has_no_facts() -> None:
    assert SlotFacts.of(tree(kind="unavailable")) is None
    assert SlotFacts.of(None) is None


def test_the_model_has_sums_for_memory_and_core_and_marks_words() -> None:
    facts = slots(
        kind="modelled",
        bottleneck=("backend_bound", "l2_bound"),
        backend_bound=0.6,
        l2_bound=node(0.4, error=0.1),
        dram_bandwidth=node(0.1, error=0.0),
    )
    memory = facts.nodes["memory"]
    assert (memory.share, memory.low, memory.high) == pytest.approx((0.5, 0.4, 0.6))
    assert facts.nodes["core"].share == 0.0
    assert facts.marked is not None
    assert {"memory", "level 2 cache", "back end"} <= facts.marked
    assert "DRAM bandwidth" not in facts.marked


def test_the_names_to_count_are_in_lower_case() -> None:
    assert {"false_sharing", "divider", "memory_bound"} <= node_names()
