"""Which CPUs form a group."""

import pytest

from harness.cstates.show.groups import cpu_groups
from tests.harness.cstates.show.results import Machines, result_of


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nehalem-ep-workstation", [[0, 1, 2, 3]]),
        ("offline-cpus", [[0], [1, 3], [2]]),
        ("no-cpuidle", [[0, 1]]),
    ],
)
def test_cpus_with_equal_settings_form_a_group(
    machine: Machines, name: str, expected: list[list[int]]
) -> None:
    groups = cpu_groups(result_of(machine(name)))
    assert [[cpu.cpu for cpu in group.cpus] for group in groups] == expected


def test_a_cpu_with_another_frequency_policy_is_another_group(machine: Machines) -> None:
    roots = machine("skylake-client")
    (roots.sys / "devices/system/cpu/cpufreq/policy2/scaling_max_freq").write_text("800000\n")
    groups = cpu_groups(result_of(roots))
    assert [[cpu.cpu for cpu in group.cpus] for group in groups] == [[0, 1, 3], [2]]
