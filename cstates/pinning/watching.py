"""Conflicting daemons, and signs of interference with a pin: throttling, frequency drift, load."""

import os
import time
from dataclasses import dataclass, field

from cstates.frequency import read_frequency
from cstates.sysfs import cpu_folder
from stallscope.machine_time import read_cpu_time
from stallscope.system_files import Roots, numbers_in, read_integer, read_text

# By /proc/PID/comm, which is truncated to 15 characters.
_DAEMONS = {
    "tuned": "sets governors, energy preferences and latency limits by its profile",
    "power-profiles-": "sets governors and energy preferences",
    "thermald": "lowers frequency limits at high temperature",
    "irqbalance": "moves interrupts between CPUs",
}
DRIFT_SHARE = 0.02
_THROTTLED = ("core_throttle_count", "package_throttle_count")


@dataclass(frozen=True, slots=True)
class ConflictingDaemon:
    """A running daemon that changes settings of a pin."""

    pid: int
    name: str
    effect: str


def conflicting_daemons(roots: Roots) -> tuple[ConflictingDaemon, ...]:
    """Return the running daemons that change settings of a pin, by process id."""
    pids = numbers_in(roots.proc, "")
    processes = ((pid, read_text(roots.proc / str(pid) / "comm", 64)) for pid in pids)
    return tuple(
        ConflictingDaemon(
            pid, "power-profiles-daemon" if name == "power-profiles-" else name, _DAEMONS[name]
        )
        for pid, name in processes
        if name in _DAEMONS
    )


def read_throttled(roots: Roots, cpus: tuple[int, ...]) -> dict[str, int]:
    """Return the readable throttle counters of the CPUs, by "cpu3 core_throttle_count"."""
    counts = {}
    for cpu in cpus:
        for name in _THROTTLED:
            count = read_integer(cpu_folder(roots, cpu) / "thermal_throttle" / name)
            if count is not None:
                counts[f"cpu{cpu} {name}"] = count
    return counts


def throttling(before: dict[str, int], after: dict[str, int]) -> tuple[str, ...]:
    """Return the throttle counters that increased during a run, as messages."""
    return tuple(
        f"throttled during the run: {name} increased by {count - before.get(name, count)}"
        for name, count in after.items()
        if count > before.get(name, count)
    )


@dataclass(frozen=True, slots=True)
class CpuClock:
    """A time and the accumulated idle time of CPUs; two of them give the work in between."""

    at_s: float
    idle_s: float
    cpus: int

    def busy_since(self, before: "CpuClock") -> float:
        """Return the CPU time of all programs since a reading, in seconds, with stolen time."""
        return max(0.0, (self.at_s - before.at_s) * self.cpus - (self.idle_s - before.idle_s))


def read_cpu_clock(roots: Roots, cpus: tuple[int, ...]) -> CpuClock | None:
    """Return the clock of CPUs; None if it is not readable or of a recorded machine."""
    cpu_time = read_cpu_time(roots.proc, cpus) if roots.is_live else None
    if cpu_time is None:
        return None
    return CpuClock(time.monotonic(), cpu_time.idle / os.sysconf("SC_CLK_TCK"), len(cpus))


@dataclass(slots=True)
class FrequencyWatch:
    """Samples frequencies while they are pinned, and counts deviations."""

    roots: Roots
    cpus: tuple[int, ...]
    pinned_khz: int
    readings: int = 0
    deviations: dict[str, int] = field(default_factory=dict)  # number of readings, by policy
    worst_khz: dict[str, int] = field(default_factory=dict)

    def sample(self) -> None:
        """Read all policies once; a deviation exceeds DRIFT_SHARE of the pinned frequency."""
        self.readings += 1
        for policy in read_frequency(self.roots, self.cpus).policies:
            khz = policy.current_khz
            if khz is None or self._deviation_khz(khz) <= self.pinned_khz * DRIFT_SHARE:
                continue
            self.deviations[policy.name] = self.deviations.get(policy.name, 0) + 1
            worst = self.worst_khz.get(policy.name, self.pinned_khz)
            self.worst_khz[policy.name] = max(worst, khz, key=self._deviation_khz)

    def _deviation_khz(self, khz: int) -> int:
        return abs(khz - self.pinned_khz)

    def drift(self) -> tuple[str, ...]:
        """Return the policies that drifted, how often and how far, as messages."""
        return tuple(
            f"frequency drifted: {policy} deviated from {self.pinned_khz} kHz in {count} of "
            f"{self.readings} readings, at worst to {self.worst_khz[policy]} kHz"
            for policy, count in self.deviations.items()
        )
