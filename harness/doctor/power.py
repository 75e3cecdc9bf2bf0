"""Checks of sleep states, frequency and clock, which `stallscope cstates` needs."""

from harness.machine_checks.check import Check, available, limited, unavailable
from harness.machine_checks.machine import CheckedMachine
from stallscope.system_files import names_in, read_text

IDLE_OPTIONS = ("cpuidle.off=1", "idle=poll", "idle=halt", "idle=nomwait", "nohlt")
SLOW_CLOCKS = ("hpet", "acpi_pm", "jiffies", "refined-jiffies", "xen")


def check_cpuidle(machine: CheckedMachine) -> Check:
    """Return whether the CPUs' sleep states and their governor are visible."""
    name, cpu = "cpuidle", machine.roots.sys / "devices" / "system" / "cpu"
    states = [state for state in names_in(cpu / "cpu0" / "cpuidle") if state.startswith("state")]
    driver = read_text(cpu / "cpuidle" / "current_driver") or "none"
    governor = (
        read_text(cpu / "cpuidle" / "current_governor")
        or read_text(cpu / "cpuidle" / "current_governor_ro")
        or "none"
    )
    if driver == "none" or not states:
        return unavailable(
            name,
            "no sleep states: wake-up cost, state residency and advice are not available",
            _idle_remedy(machine),
        )
    names = [read_text(cpu / "cpu0" / "cpuidle" / state / "name") or state for state in states]
    detail = f"driver {driver}, governor {governor}, states {', '.join(names)}"
    if machine.host.virtualization:
        return limited(
            name,
            f"{detail}: the guest's states; the hypervisor decides how deep the CPU sleeps",
            "measure on the host to see the hardware's states",
        )
    return available(name, detail)


def _idle_remedy(machine: CheckedMachine) -> str:
    options = [word for word in machine.boot_options if word in IDLE_OPTIONS]
    if options:
        return f"remove {' '.join(options)} from the kernel's command line and reboot"
    if machine.host.virtualization:
        return "measure on the host: this guest has no idle driver"
    return "enable C-states (x86) or PSCI idle states (arm64) in the firmware's settings"


def check_cpufreq(machine: CheckedMachine) -> Check:
    """Return whether the CPUs' frequencies are visible."""
    name = "cpufreq"
    folder = machine.roots.sys / "devices" / "system" / "cpu" / "cpu0" / "cpufreq"
    driver = read_text(folder / "scaling_driver")
    if driver is None:
        if machine.host.virtualization:
            return unavailable(
                name,
                "no frequency control in this guest: the hypervisor sets it and does not report it",
                "measure on the host to see frequencies",
            )
        return unavailable(
            name,
            "no cpufreq driver: frequency and its changes are not visible",
            "enable frequency scaling (EIST, CPPC) in the firmware's settings",
        )
    governor = read_text(folder / "scaling_governor") or "unknown"
    lowest, highest = (
        read_text(folder / f"cpuinfo_{which}_freq") or "?" for which in ("min", "max")
    )
    return available(name, f"driver {driver}, governor {governor}, {lowest} to {highest} kHz")


def check_clocksource(machine: CheckedMachine) -> Check:
    """Return whether reading the clock is cheap."""
    name = "clocksource"
    folder = machine.roots.sys / "devices" / "system" / "clocksource" / "clocksource0"
    current = read_text(folder / "current_clocksource")
    if current is None:
        return limited(name, "the clock source cannot be read")
    others = (read_text(folder / "available_clocksource") or "").split()
    if current not in SLOW_CLOCKS:
        return available(name, f"{current}, read without a system call")
    detail = f"{current}: each clock reading costs a system call of 1 us or more"
    if "tsc" in others:
        path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
        return limited(name, detail, machine.write_as_root("tsc", path))
    return limited(name, detail, "for the reason: dmesg | grep -i -e tsc -e clocksource")
