"""The table of settings: scope, path, verification, and the orders of applying and restoring.

The order of the table is the order of applying: first what the kernel cleans up by itself (process,
then descriptors), then files. A governor precedes the settings that it resets or rejects; sleep
states follow their governor. Documented in the kernel's Documentation:
ABI/testing/sysfs-devices-system-cpu, admin-guide/pm/cpufreq.rst, intel_pstate.rst and
admin-guide/sysctl/kernel.rst.
"""

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """What undoes a change if all processes of the pin were killed."""

    PROCESS = "process"  # the kernel, at the command's end
    DESCRIPTOR = "descriptor"  # the kernel, at the end of the last holder of the descriptor
    SYSFS = "sysfs"  # only the journal


class KnobVerification(StrEnum):
    """What shows that a setting took effect; all settings are also read back."""

    READ_BACK = "read back"
    COUNTERS = "usage and time of the closed states"
    FREQUENCY = "frequency"


@dataclass(frozen=True, slots=True)
class Knob:
    """A kind of setting; ``path`` may contain {cpu}, {policy}, {state} or {irq}.

    ``restored`` is the order of restoring; equal numbers are restored in reverse order of applying.
    If the kernel rejects a ``tolerant`` knob, the pin continues with a note.
    """

    name: str
    scope: Scope
    path: str
    verified: KnobVerification = KnobVerification.READ_BACK
    restored: int = 0
    tolerant: bool = False


_CPU = "/sys/devices/system/cpu"
_POLICY = f"{_CPU}/cpufreq/{{policy}}"
_FREQUENCY = KnobVerification.FREQUENCY
_COUNTERS = KnobVerification.COUNTERS
# Turbo is restored before the limits: without turbo a limit above the base is rejected or clipped.
_TABLE = (
    Knob("affinity", Scope.PROCESS, "sched_setaffinity"),
    Knob("nice", Scope.PROCESS, "setpriority"),
    Knob("aslr", Scope.PROCESS, "personality"),
    Knob("thp", Scope.PROCESS, "prctl"),
    Knob("latency-limit", Scope.DESCRIPTOR, "/dev/cpu_dma_latency", _COUNTERS),
    Knob("governor-tunable", Scope.SYSFS, f"{_CPU}/cpufreq/{{policy}}", restored=5),
    Knob("governor", Scope.SYSFS, f"{_POLICY}/scaling_governor", restored=4),
    Knob("no-turbo", Scope.SYSFS, f"{_CPU}/intel_pstate/no_turbo", _FREQUENCY, 1),
    Knob("boost", Scope.SYSFS, f"{_CPU}/cpufreq/boost", _FREQUENCY, 1),
    Knob("energy-preference", Scope.SYSFS, f"{_POLICY}/energy_performance_preference", restored=3),
    Knob("energy-bias", Scope.SYSFS, f"{_CPU}/cpu{{cpu}}/power/energy_perf_bias", restored=3),
    Knob("min-frequency", Scope.SYSFS, f"{_POLICY}/scaling_min_freq", _FREQUENCY, 2),
    Knob("max-frequency", Scope.SYSFS, f"{_POLICY}/scaling_max_freq", _FREQUENCY, 2),
    Knob("idle-governor", Scope.SYSFS, f"{_CPU}/cpuidle/current_governor"),
    Knob(
        "cpu-latency-limit",
        Scope.SYSFS,
        f"{_CPU}/cpu{{cpu}}/power/pm_qos_resume_latency_us",
        _COUNTERS,
    ),
    Knob("idle-state", Scope.SYSFS, f"{_CPU}/cpu{{cpu}}/cpuidle/{{state}}/disable", _COUNTERS),
    Knob("numa-balancing", Scope.SYSFS, "/proc/sys/kernel/numa_balancing"),
    Knob("nmi-watchdog", Scope.SYSFS, "/proc/sys/kernel/nmi_watchdog"),
    Knob("irq-affinity", Scope.SYSFS, "/proc/irq/{irq}/smp_affinity_list", tolerant=True),
)
KNOBS = {knob.name: knob for knob in _TABLE}


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A change of one setting; if ``new`` is None, it is only stored, as a governor may reset it.

    ``path`` is the path on a live machine, whatever the roots: /sys/..., /proc/..., /dev/... In
    process scope it is the system call.
    """

    knob: str
    path: str
    old: str
    new: str | None

    @property
    def scope(self) -> Scope:
        """Return what undoes the change."""
        return KNOBS[self.knob].scope


def change(knob: str, old: str, new: str | None, **names: object) -> SettingChange:
    """Return a change of a knob; ``names`` fill its path, such as cpu=3 or policy="policy0"."""
    return SettingChange(knob, KNOBS[knob].path.format(**names), old, new)
