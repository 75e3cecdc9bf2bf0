"""What to change besides sleep and frequency: NUMA balancing, the NMI watchdog, interrupts."""

from cstates.pinning.kernel_files import read_value
from cstates.pinning.knobs import KNOBS, Change, change
from cstates.pinning.targets import Targets
from cstates.sysfs import online_cpus
from stallscope.cpu_lists import cpus_in_list, format_cpu_list
from stallscope.errors import UnableError
from stallscope.system_files import Roots, numbers_in


def plan_switch_off(roots: Roots, knob: str) -> tuple[Change, ...]:
    """Return the change of one of the kernel's switches to 0."""
    path = KNOBS[knob].place
    old = read_value(roots, path)
    if old is None:
        raise UnableError(f"this kernel has no {path}", f"leave out --{knob} off")
    return () if old == "0" else (change(knob, old, "0"),)


def plan_interrupts(roots: Roots, targets: Targets) -> tuple[Change, ...]:
    """Return the changes that let interrupts go to other CPUs; managed ones refuse, and are told.

    UnableError where no online CPU would be left for them.
    """
    others = online_cpus(roots) - set(targets.capped)
    if not others:
        raise UnableError(
            "--irq-away: the command has all CPUs, so interrupts have nowhere to go",
            "leave CPUs out with --cpus",
        )
    found = []
    for number in numbers_in(roots.proc / "irq", ""):
        old = read_value(roots, f"/proc/irq/{number}/smp_affinity_list")
        now = set(cpus_in_list(old or ""))
        if old and now & set(targets.capped):
            new = format_cpu_list((now - set(targets.capped)) & others or others)
            found.append(change("irq-affinity", old, new, irq=number))
    return tuple(found)
