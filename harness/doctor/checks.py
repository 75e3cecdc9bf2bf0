"""The checks in the order in which they are shown, and the remedy to apply first."""

from collections.abc import Callable, Iterable, Sequence

from harness.doctor import environment, kernel, permissions, power, stacks, waits
from harness.machine_checks import events
from harness.machine_checks.check import Check, Status
from harness.machine_checks.machine import CheckedMachine

CHECKS: tuple[Callable[[CheckedMachine], Check], ...] = (
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
    waits.check_waits,
    kernel.check_pressure,
    kernel.check_cgroup,
    kernel.check_io_uring,
    power.check_cpuidle,
    power.check_cpufreq,
    power.check_clocksource,
    environment.check_virtualization,
)

# Checks that profiles need, and checks that other commands need; most important first.
FOR_PROFILES = ("collector", "software-clock", "paranoid", "kernel-profiling", "kernel-symbols")
FOR_OTHER_COMMANDS = ("tracefs", "mlock", "open-files", "io-uring", "pressure", "clocksource")


def run_checks(machine: CheckedMachine) -> tuple[Check, ...]:
    """Return the result of every check, in the order of CHECKS."""
    return tuple(check(machine) for check in CHECKS)


def first_remedy(checks: Iterable[Check], names: Sequence[str]) -> str:
    """Return the remedy of the first of these checks that is not available, or an empty text."""
    remedies = {
        check.name: check.remedy
        for check in checks
        if check.remedy and check.status is not Status.AVAILABLE
    }
    return next((remedies[name] for name in names if name in remedies), "")
