"""Changes besides sleep states and frequency: NUMA balancing, the NMI watchdog, interrupts."""

from cstates.pinning.kernel_files import read_value
from cstates.pinning.knobs import KNOBS, SettingChange, change
from cstates.pinning.targets import PinTargets
from cstates.sysfs import online_cpus
from stallscope.cpu_lists import cpus_in_list, format_cpu_list
from stallscope.errors import UnableError
from stallscope.system_files import Roots, numbers_in


def plan_switch_off(roots: Roots, knob: str) -> tuple[SettingChange, ...]:
    """Return the change that sets a kernel switch to 0."""
    path = KNOBS[knob].path
    old = read_value(roots, path)
    if old is None:
        raise UnableError(f"this kernel has no {path}", f"omit --{knob} off")
    return () if old == "0" else (change(knob, old, "0"),)


def plan_interrupts(roots: Roots, targets: PinTargets) -> tuple[SettingChange, ...]:
    """Return the changes that move interrupts to other CPUs; the kernel rejects managed ones.

    Raises UnableError if no other CPU is online.
    """
    others = online_cpus(roots) - set(targets.capped)
    if not others:
        raise UnableError(
            "--irq-away: the command uses all online CPUs, so no CPU is left for interrupts",
            "give the command fewer CPUs with --cpus",
        )
    changes = []
    for number in numbers_in(roots.proc / "irq", ""):
        old = read_value(roots, f"/proc/irq/{number}/smp_affinity_list")
        current = set(cpus_in_list(old or ""))
        if old and current & set(targets.capped):
            new = format_cpu_list((current - set(targets.capped)) & others or others)
            changes.append(change("irq-affinity", old, new, irq=number))
    return tuple(changes)
