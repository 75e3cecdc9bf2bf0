import msgspec
import pytest

from harness.diagnose.evidence import counted, sampled, slot_evidence, waited
from harness.diagnose.facts import Facts, Measurements
from tests.harness.diagnose.diagnoses import BUSY, LOCKED, cpu, waits
from tests.harness.diagnose.slot_results import node, slots


def test_a_waiting_time_is_exact_if_every_switch_was_recorded() -> None:
    row = waited(Facts.of(waits(LOCKED), None), "waits", 1000)
    assert (row.low, row.high) == (1000, 1000)


def test_a_waiting_time_from_windows_has_their_error() -> None:
    document = waits("main R(code)0-100 W(hog,lock)100-500\nhog R(code)0-500")
    groups = tuple(
        msgspec.structs.replace(group, errors_ns={**dict.fromkeys(group.states_ns, 0), "lock": 4})
        for group in document.groups
    )
    total = sum(group.states_ns["lock"] for group in groups)
    row = waited(Facts.of(msgspec.structs.replace(document, groups=groups), None), "waits", total)
    assert row.low is not None
    assert row.high is not None
    assert row.low < total < row.high


def test_a_share_of_samples_has_the_interval_of_their_number() -> None:
    few = sampled(Facts.of(waits(BUSY), cpu(samples=10)), "in f", 0.5)
    many = sampled(Facts.of(waits(BUSY), cpu(samples=1000)), "in f", 0.5)
    assert few.low is not None
    assert many.low is not None
    assert few.low < many.low < 0.5
    assert sampled(Facts.of(waits(BUSY), None), "in f", 0.5).low is None


def test_slots_name_their_unit_and_source() -> None:
    tree = slots(Memory_Bound=node(0.4, error=0.1))
    facts = Facts.of(waits(BUSY), None, Measurements(slots=tree))
    row = slot_evidence(facts, tree.nodes["memory"])
    assert row.name == "Memory_Bound, share of slots"
    assert row.source == "hardware counters"
    assert (row.low, row.high) == pytest.approx((0.3, 0.5))


def test_a_counter_is_exact() -> None:
    row = counted("faults", 7, "faults", "/proc")
    assert row.low == row.value == row.high
