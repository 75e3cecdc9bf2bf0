"""Settings and warnings of measurements on generated machines."""

import json
from collections.abc import Callable

import pytest

from cstates.fingerprint import Fingerprint, fingerprint
from cstates.observation import Observation, observe
from cstates.sysfs import present_cpus
from stallscope.documents import decode, encode
from stallscope.errors import RecordingError
from stallscope.system_files import Roots
from tests.cstates.machine_trees import names

Machine = Callable[[str], Roots]
CPU = "devices/system/cpu"


def seen(roots: Roots) -> Observation:
    return observe(roots, present_cpus(roots))


def enter(roots: Roots, state: str, times: int) -> None:
    """Count entries of CPU 0 into a state."""
    usage = roots.sys / CPU / f"cpu0/cpuidle/{state}/usage"
    usage.write_text(f"{int(usage.read_text()) + times}\n")


def unlimited(roots: Roots) -> Roots:
    (roots.files / "dev/cpu_dma_latency").write_bytes((2_000_000_000).to_bytes(4, "little"))
    return roots


def test_entries_and_warnings_are_those_of_the_run(machine: Machine) -> None:
    roots = unlimited(machine("ice-lake-server"))
    before = seen(roots)
    enter(roots, "state1", 7)
    enter(roots, "state3", 1234)
    result = fingerprint(before, seen(roots))
    assert {state.name: state.entries for state in result.states} == {
        "POLL": 0, "C1": 7, "C1E": 0, "C6": 1234,
    }  # fmt: skip
    assert result.idle_governor == "menu"
    assert result.frequencies[0].governor == "schedutil"
    assert result.warnings[0].startswith("frequency not fixed (")
    assert result.warnings[1] == "C6 open (170 us), entered 1,234 times"
    assert len(result.warnings) == 2


def test_a_pinned_machine_has_no_warnings(machine: Machine) -> None:
    roots = unlimited(machine("ice-lake-server"))
    for cpu in roots.sys.glob(f"{CPU}/cpu*/cpuidle"):
        for state in ("state2", "state3"):
            (cpu / state / "disable").write_text("1\n")
    for policy in roots.sys.glob(f"{CPU}/cpufreq/policy*"):
        (policy / "scaling_max_freq").write_text((policy / "scaling_min_freq").read_text())
    before = seen(roots)
    enter(roots, "state1", 50)
    result = fingerprint(before, seen(roots))
    assert result.warnings == ()
    assert [state.open_cpus for state in result.states] == [4, 4, 0, 0]


def test_changed_settings_give_a_warning(machine: Machine) -> None:
    roots = machine("ice-lake-server")
    before = seen(roots)
    (roots.sys / CPU / "cpu1/cpuidle/state3/disable").write_text("1\n")
    (roots.sys / CPU / "cpuidle/current_governor").write_text("teo\n")
    result = fingerprint(before, seen(roots))
    assert "idle governor changed during the run: menu before, teo after" in result.warnings
    assert (
        "closed sleep states changed during the run: none before, C6 on 1 CPUs after"
        in result.warnings
    )


def test_a_decreased_counter_is_unknown(machine: Machine) -> None:
    roots = machine("haltpoll-vm")
    before = seen(roots)
    enter(roots, "state1", -1)
    result = fingerprint(before, seen(roots))
    assert [state.entries for state in result.states] == [0, None]
    assert result.frequencies == ()
    assert result.frequency_missing
    assert result.turbo_allowed is None
    assert result.warnings == ()  # with one state that sleeps there is nothing to choose


@pytest.mark.parametrize("name", names())
def test_a_written_document_is_read_back(machine: Machine, name: str) -> None:
    roots = machine(name)
    result = fingerprint(seen(roots), seen(roots))
    assert decode(encode(result), Fingerprint, "test") == result


@pytest.mark.parametrize("key", ["states", "frequencies", "warnings", "cpus", "turbo_allowed"])
def test_damage_raises_one_error_type(machine: Machine, key: str) -> None:
    roots = machine("zen4-server")
    document = fingerprint(seen(roots), seen(roots)).document()
    with pytest.raises(RecordingError):
        decode(json.dumps(document | {key: "?"}), Fingerprint, "test")
