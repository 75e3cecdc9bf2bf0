from harness.diagnose.facts import Facts, Measurements
from harness.diagnose.result import MeasuredSource
from harness.diagnose.sources import not_judged, sources
from tests.harness.diagnose.diagnoses import BUSY, cpu, waits
from tests.harness.diagnose.machines import machine, state
from tests.harness.diagnose.slot_results import slots


def rows(measurements: Measurements) -> dict[str, MeasuredSource]:
    facts = Facts.of(waits(BUSY), None, measurements)
    return {row.name: row for row in sources(facts, measurements)}


def causes(measurements: Measurements) -> list[str]:
    facts = Facts.of(waits(BUSY), None, measurements)
    return [name for row in not_judged(facts, measurements) for name in row.causes]


def test_a_missing_source_has_its_reason() -> None:
    without = rows(Measurements(slots_missing="no PMU; none inside the guest"))
    assert without["pipeline slots"].kind == "unavailable"
    assert without["pipeline slots"].detail == "no PMU; none inside the guest"
    assert without["disks"].kind == "unavailable"


def test_idle_states_are_counters_of_the_whole_machine() -> None:
    states = (state("C6", 5, 0.5, 133),)
    counted = rows(
        Measurements(cpu=cpu(), machine=machine({"idle_governor": "menu"}, states=states))
    )
    assert counted["idle states"].kind == "measured"
    assert "cpuidle counters of the whole machine, before and after (menu)" in (
        counted["idle states"].detail
    )
    assert counted["frequency"].kind == "unavailable"
    assert counted["CPU samples"].detail == "1,000 samples"


def test_modelled_slots_are_no_measured_source() -> None:
    assert rows(Measurements(slots=slots(kind="modelled")))["pipeline slots"].kind == "modelled"


def test_remote_memory_needs_several_nodes() -> None:
    single = causes(Measurements(machine=machine()))
    several = causes(Measurements(machine=machine({"nodes": 2})))
    assert "remote memory" not in single
    assert "remote memory" in several
    assert "false sharing" in single


def test_causes_without_a_node_in_the_tree_are_not_judged() -> None:
    amd = slots(frontend_bound=0.1, bad_speculation_mispredicts=0.1, backend_bound_memory=0.3)
    missing = causes(Measurements(slots=amd, machine=machine()))
    assert "memory bandwidth" in missing
    assert "execution units" in missing
    assert "memory latency" not in missing
