"""What can be set, as a table: each knob's scope, place, how it is verified, and both orders.

The order of the table is the order of setting: what the kernel cleans up by itself comes first
(process, then descriptors), then files. A governor precedes what it resets or refuses; sleep
states follow their governor. Documented in the kernel's Documentation:
ABI/testing/sysfs-devices-system-cpu, admin-guide/pm/cpufreq.rst, intel_pstate.rst and
admin-guide/sysctl/kernel.rst.
"""

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """Who undoes a change when everybody of ours was killed."""

    PROCESS = "process"  # the kernel, with the command
    DESCRIPTOR = "descriptor"  # the kernel, with the last holder of the descriptor
    SYSFS = "sysfs"  # only the journal


class Verified(StrEnum):
    """What shows that a setting took effect; all are read back as well."""

    READ_BACK = "read back"
    COUNTERS = "usage and time of the closed states"
    FREQUENCY = "frequency"


@dataclass(frozen=True, slots=True)
class Knob:
    """One kind of setting; ``place`` has {cpu}, {policy}, {state} or {irq} where there are several.

    ``restored`` orders restoring, the least first; equal ones go in reverse order of setting.
    A ``tolerant`` knob's refusal is told, and the pin goes on: the kernel keeps some to itself.
    """

    name: str
    scope: Scope
    place: str
    verified: Verified = Verified.READ_BACK
    restored: int = 0
    tolerant: bool = False


_CPU = "/sys/devices/system/cpu"
_POLICY = f"{_CPU}/cpufreq/{{policy}}"
_FREQUENCY = Verified.FREQUENCY
_COUNTERS = Verified.COUNTERS
# Turbo is given back before the limits: with turbo off a limit beyond the base is refused or cut.
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
class Change:
    """One setting to be changed; with ``new`` None it is only kept, as switching resets it.

    ``path`` is the live machine's, whatever the roots: /sys/..., /proc/..., /dev/... In process
    scope it is the system call.
    """

    knob: str
    path: str
    old: str
    new: str | None

    @property
    def scope(self) -> Scope:
        """Return who undoes it."""
        return KNOBS[self.knob].scope


def change(knob: str, old: str, new: str | None, **place: object) -> Change:
    """Return a change of the knob at its place, as cpu=3, policy="policy0"."""
    return Change(knob, KNOBS[knob].place.format(**place), old, new)
