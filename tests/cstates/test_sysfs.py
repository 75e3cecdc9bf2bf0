"""Roots and CPUs of a machine."""

from collections.abc import Callable
from pathlib import Path

import pytest

from cstates.sysfs import chosen_cpus, machine_roots, online_cpus, present_cpus
from stallscope.errors import UnableError, UsageError
from stallscope.system_files import Roots

Machines = Callable[[str], Roots]


def test_the_live_roots_are_live() -> None:
    assert machine_roots(Path("/sys"), Path("/proc")).is_live


def test_sys_and_proc_of_a_tree_imply_its_dev(machine: Machines, tmp_path: Path) -> None:
    tree = machine("haltpoll-vm")
    assert machine_roots(tree.sys, tree.proc) == tree
    assert not machine_roots(tree.sys, Path("/proc")).is_live
    with pytest.raises(UsageError, match="contains no devices, so it is not a sysfs"):
        machine_roots(tmp_path / "none", Path("/proc"))
    (tmp_path / "sys/devices").mkdir(parents=True)
    with pytest.raises(UsageError, match="devices/system/cpu is missing"):
        machine_roots(tmp_path / "sys", Path("/proc"))


def test_cpus_that_are_offline_are_present(machine: Machines) -> None:
    tree = machine("offline-cpus")
    assert present_cpus(tree) == (0, 1, 2, 3)
    assert online_cpus(tree) == {0, 2}


def test_without_a_list_all_present_cpus_are_online(machine: Machines) -> None:
    tree = machine("haltpoll-vm")
    online = tree.sys / "devices/system/cpu/online"
    online.unlink()
    assert online_cpus(tree) == {0, 1}
    online.write_text("0-,x\n")
    with pytest.raises(UnableError, match="'0-' is neither a CPU"):
        online_cpus(tree)


def test_cpu_lists_are_checked(machine: Machines) -> None:
    tree = machine("nehalem-ep-workstation")
    assert chosen_cpus(tree, None) == (0, 1, 2, 3)
    assert chosen_cpus(tree, "3,0-1") == (0, 1, 3)
    with pytest.raises(UsageError, match="this machine has no CPU 4-5,9") as refused:
        chosen_cpus(tree, "2-5,9")
    assert refused.value.remedy == "its CPUs are 0-3"
    with pytest.raises(UsageError, match="'8-' is neither a CPU"):
        chosen_cpus(tree, "0-3,8-,x")
