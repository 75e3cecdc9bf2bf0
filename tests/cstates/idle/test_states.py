"""Sleep states in sysfs: what closes them, and why there are none."""

import os
from collections.abc import Callable

import pytest

from cstates.idle.states import ClosedBy, IdleMachine, read_idle_machine
from cstates.sysfs import present_cpus
from stallscope.system_files import Roots

Machines = Callable[[str], Roots]


def read(roots: Roots) -> IdleMachine:
    return read_idle_machine(roots, present_cpus(roots))


def test_a_workstation(machine: Machines) -> None:
    result = read(machine("nehalem-ep-workstation"))
    assert (result.driver, result.governor, result.missing) == ("intel_idle", "menu", None)
    assert result.available_governors == ("ladder", "menu", "teo")
    deepest = result.cpus[1].states[-1]
    assert (deepest.index, deepest.name) == (4, "C6")
    assert (deepest.exit_latency_us, deepest.target_residency_us) == (200, 800)
    assert (deepest.usage, deepest.above, deepest.below) == (500_010, 125_002, 50_001)
    assert (deepest.disabled, deepest.default_disabled) == (False, False)


def test_what_closes_a_state(machine: Machines) -> None:
    spr = read(machine("sapphire-rapids-server")).cpus[0].states
    assert [state.closed_by(None) for state in spr] == [None, None, ClosedBy.DEFAULT, None]
    assert [state.closed_by(1) for state in spr] == [
        None,
        None,
        ClosedBy.DEFAULT,
        ClosedBy.LATENCY_LIMIT,
    ]
    other = read(machine("offline-cpus")).cpus
    assert other[2].states[-1].closed_by(None) is ClosedBy.DISABLE
    assert other[0].states[-1].closed_by(None) is None
    assert other[0].resume_limit_us == 0  # "n/a" is the strictest
    assert other[2].resume_limit_us is None  # "0" is no limit


def test_why_there_are_no_states(machine: Machines) -> None:
    offline = read(machine("offline-cpus")).cpus[1]
    assert (offline.online, offline.states, offline.missing) == (False, (), "the CPU is offline")
    polling = read(machine("no-cpuidle"))
    assert polling.driver is None
    assert polling.missing is not None
    assert "idle=poll" in polling.missing
    assert polling.cpus[0].missing == polling.missing


def test_a_kernel_without_cpuidle(machine: Machines) -> None:
    roots = machine("no-cpuidle")
    folder = roots.sys / "devices/system/cpu/cpuidle"
    for path in folder.iterdir():
        path.unlink()
    (roots.proc / "cmdline").write_text("quiet\n")
    missing = read(roots).missing
    assert missing is not None
    assert "no sleep states" in missing
    folder.rmdir()
    missing = read(roots).missing
    assert missing is not None
    assert "CONFIG_CPU_IDLE" in missing


@pytest.mark.parametrize("content", ["", "x\n", "-3\n", "9" * 70, "\xff\n"])
def test_invalid_numbers_are_missing(machine: Machines, content: str) -> None:
    roots = machine("haltpoll-vm")
    folder = roots.sys / "devices/system/cpu/cpu0/cpuidle/state1"
    for name in ("latency", "residency", "usage", "time", "above", "below", "rejected"):
        (folder / name).write_bytes(content.encode("latin-1"))
    state = read(roots).cpus[0].states[1]
    numbers = (state.exit_latency_us, state.usage, state.time_us, state.above, state.below)
    if content != "9" * 70:
        assert numbers == (None,) * 5


def test_missing_files_and_pipes_give_no_values(machine: Machines) -> None:
    roots = machine("haltpoll-vm")
    folder = roots.sys / "devices/system/cpu/cpu0/cpuidle/state1"
    for name in ("disable", "default_status", "name"):
        (folder / name).unlink()
    os.mkfifo(folder / "name")
    state = read(roots).cpus[0].states[1]
    assert (state.name, state.disabled, state.default_disabled) == ("state1", None, None)
    assert state.closed_by(None) is None


def test_any_value_but_zero_disables(machine: Machines) -> None:
    roots = machine("haltpoll-vm")
    (roots.sys / "devices/system/cpu/cpu0/cpuidle/state1/disable").write_text("7\n")
    assert read(roots).cpus[0].states[1].disabled is True
