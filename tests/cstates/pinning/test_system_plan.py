"""Changes besides sleep states and frequency: switches and interrupts."""

from pathlib import Path

import pytest

from cstates.pinning.system_plan import plan_interrupts, plan_switch_off
from cstates.pinning.targets import PinTargets
from stallscope.errors import UnableError
from stallscope.system_files import Roots


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    """Return a machine with four CPUs and three interrupts."""
    files = {
        "sys/devices/system/cpu/online": "0-3",
        "proc/sys/kernel/numa_balancing": "1",
        "proc/sys/kernel/nmi_watchdog": "0",
        "proc/irq/7/smp_affinity_list": "0-3",
        "proc/irq/8/smp_affinity_list": "1",
        "proc/irq/9/smp_affinity_list": "2-3",
    }
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content}\n")
    return Roots.recorded(tmp_path)


def targets(*cpus: int) -> PinTargets:
    return PinTargets(cpus, cpus, (), all_capped=False)


def test_a_switch_that_is_off_needs_no_change(roots: Roots) -> None:
    [change] = plan_switch_off(roots, "numa-balancing")
    assert (change.old, change.new) == ("1", "0")
    assert plan_switch_off(roots, "nmi-watchdog") == ()


def test_a_switch_that_the_kernel_lacks_is_refused(roots: Roots) -> None:
    (roots.proc / "sys" / "kernel" / "numa_balancing").unlink()
    with pytest.raises(UnableError, match="numa_balancing"):
        plan_switch_off(roots, "numa-balancing")


def test_interrupts_leave_the_commands_cpus(roots: Roots) -> None:
    changes = plan_interrupts(roots, targets(0, 1))
    assert [(change.path, change.new) for change in changes] == [
        ("/proc/irq/7/smp_affinity_list", "2-3"),
        ("/proc/irq/8/smp_affinity_list", "2-3"),
    ]


def test_interrupts_need_a_cpu_that_is_left(roots: Roots) -> None:
    with pytest.raises(UnableError, match="no CPU is left for interrupts"):
        plan_interrupts(roots, targets(0, 1, 2, 3))
