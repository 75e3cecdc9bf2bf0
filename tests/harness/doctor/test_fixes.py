"""Fixes are the least commands that allow more, with what they allow and how to undo them."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.doctor.checks import run_checks
from harness.doctor.fixes import find_fixes
from harness.doctor.leftovers import find_leftovers
from harness.doctor.result import Fix, FixResult
from harness.doctor.text import fix_lines
from harness.machine_checks.machine import CheckedMachine, gather
from stallscope.system_files import Roots

MACHINES = Path(__file__).parents[2] / "machines"
COLLECTOR = Path("/opt/a folder/stallscope-collect")


def machine(name: str) -> CheckedMachine:
    return gather(Roots.recorded(MACHINES / name), COLLECTOR)


def fixes(machine: CheckedMachine) -> tuple[Fix, ...]:
    return find_fixes(machine, run_checks(machine), find_leftovers(machine))


@pytest.mark.parametrize(
    ("name", "levels"),
    [("user-at-paranoid-2", [1, 0]), ("user-at-paranoid-3", [2, 1, 0])],
)
def test_each_lower_level_says_what_it_allows(name: str, levels: list[int]) -> None:
    old = name[-1]
    lowered = [fix for fix in fixes(machine(name)) if "perf_event_paranoid" in fix.commands[0]]
    assert [fix.commands[0][-1] for fix in lowered] == list(map(str, levels))
    for fix in lowered:
        assert fix.allows.startswith("every user")
        assert fix.undo == (f"sudo sysctl kernel.perf_event_paranoid={old}",)
        assert fix.lasts == "until the next boot"


def test_capabilities_of_the_collector_are_the_alternative_for_one_program() -> None:
    added = [fix for fix in fixes(machine("user-at-paranoid-2")) if "setcap" in fix.commands[0]]
    assert [fix.commands[0].split()[2] for fix in added] == [
        "cap_perfmon=ep",
        "cap_perfmon,cap_sys_ptrace=ep",
    ]
    assert all(fix.undo == (f"sudo setcap -r '{COLLECTOR}'",) for fix in added)


def test_root_without_limits_needs_nothing() -> None:
    base = machine("intel-metal")
    limits = replace(base.process, open_files=base.process.open_files_hard)
    free = replace(base, process=limits, kernel=replace(base.kernel, nmi_watchdog=None))
    assert fixes(free) == ()
    assert fix_lines(FixResult(fixes=()), 80) == [
        "Nothing to allow: no permission or setting limits a check."
    ]


def test_fixes_of_a_container_are_for_its_start_or_its_host() -> None:
    commands = [command for fix in fixes(machine("container")) for command in fix.commands]
    assert commands[0].startswith("docker run --cap-add PERFMON")
    assert not any(command.startswith(("sudo", "sysctl")) for command in commands)


@pytest.mark.parametrize("name", sorted(path.name for path in MACHINES.iterdir() if path.is_dir()))
def test_every_fix_is_complete_and_fits_the_terminal(name: str) -> None:
    result = FixResult(fixes=fixes(machine(name)))
    for fix in result.fixes:
        assert fix.subject
        assert fix.allows
        assert all(fix.commands)
        assert fix.lasts
    longest = max((len(c) for fix in result.fixes for c in (*fix.commands, *fix.undo)), default=0)
    assert all(len(line) <= max(80, longest + 9) for line in fix_lines(result, 80))


def test_a_hidden_kernel_address_has_the_least_command() -> None:
    base = machine("user-at-paranoid-2")
    hidden = replace(base, kernel=replace(base.kernel, kptr_restrict=2))
    (fix,) = [fix for fix in fixes(hidden) if fix.subject == "kernel-symbols"]
    assert fix.commands == ("sudo sysctl kernel.kptr_restrict=0",)
    assert fix.undo == ("sudo sysctl kernel.kptr_restrict=2",)
