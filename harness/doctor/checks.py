"""The checks in the order they are shown, and what to do first."""

from collections.abc import Callable, Iterable, Sequence

from harness.doctor import environment, kernel, permissions, power, stacks
from harness.machine_checks import events
from harness.machine_checks.check import Check, Status
from harness.machine_checks.machine import Machine

CHECKS: tuple[Callable[[Machine], Check], ...] = (
    events.check_collector,
    events.check_pmu,
    events.check_software_clock,
    events.check_kernel_profiling,
    events.check_system_wide,
    events.check_paranoid,
    permissions.check_capabilities,
    permissions.check_process_access,
    stacks.check_callchains,
    kernel.check_kernel_symbols,
    stacks.check_libc_debug,
    permissions.check_mlock,
    permissions.check_open_files,
    kernel.check_tracefs,
    kernel.check_schedstats,
    kernel.check_pressure,
    kernel.check_cgroup,
    kernel.check_io_uring,
    power.check_cpuidle,
    power.check_cpufreq,
    power.check_clocksource,
    environment.check_virtualization,
)

# What keeps a profile from being whole, and what else is worth a command; most important first.
FOR_PROFILES = ("collector", "software-clock", "paranoid", "kernel-profiling", "kernel-symbols")
FOR_THE_REST = ("tracefs", "mlock", "open-files", "io-uring", "pressure", "clocksource")


def run_checks(machine: Machine) -> tuple[Check, ...]:
    """Return every check's answer, in the order of CHECKS."""
    return tuple(check(machine) for check in CHECKS)


def first_remedy(checks: Iterable[Check], names: Sequence[str]) -> str:
    """Return the remedy of the first of these checks that is not available; else nothing."""
    wanting = {
        check.name: check.remedy
        for check in checks
        if check.remedy and check.status is not Status.AVAILABLE
    }
    return next((wanting[name] for name in names if name in wanting), "")
