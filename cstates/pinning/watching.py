"""Who may interfere with a pin, and what shows that something did: throttling, drift, work."""

import os
import time
from dataclasses import dataclass, field

from cstates.frequency import read_frequency
from cstates.sysfs import cpu_folder
from stallscope.machine_time import read_cpu_time
from stallscope.system_files import Roots, numbers_in, read_integer, read_text

# By /proc/PID/comm, which is cut after 15 characters.
_RIVALS = {
    "tuned": "sets governors, energy preferences and latency limits by its profile",
    "power-profiles-": "sets governors and energy preferences",
    "thermald": "lowers frequency limits when it is hot",
    "irqbalance": "moves interrupts between CPUs",
}
DRIFT_SHARE = 0.02
_THROTTLED = ("core_throttle_count", "package_throttle_count")


@dataclass(frozen=True, slots=True)
class Rival:
    """A running daemon that sets what a pin sets."""

    pid: int
    name: str
    what: str


def rivals(roots: Roots) -> tuple[Rival, ...]:
    """Return the daemons that are running, by process id."""
    pids = numbers_in(roots.proc, "")
    found = ((pid, read_text(roots.proc / str(pid) / "comm", 64)) for pid in pids)
    return tuple(
        Rival(pid, "power-profiles-daemon" if name == "power-profiles-" else name, _RIVALS[name])
        for pid, name in found
        if name in _RIVALS
    )


def read_throttled(roots: Roots, cpus: tuple[int, ...]) -> dict[str, int]:
    """Return the CPUs' throttle counters by "cpu3 core_throttle_count"; absent where not told."""
    found = {}
    for cpu in cpus:
        for name in _THROTTLED:
            count = read_integer(cpu_folder(roots, cpu) / "thermal_throttle" / name)
            if count is not None:
                found[f"cpu{cpu} {name}"] = count
    return found


def throttling(before: dict[str, int], after: dict[str, int]) -> tuple[str, ...]:
    """Return which throttle counters rose during a run, and by how much."""
    return tuple(
        f"throttled during the run: {name} rose by {count - before.get(name, count)}"
        for name, count in after.items()
        if count > before.get(name, count)
    )


@dataclass(frozen=True, slots=True)
class WorkClock:
    """When it was, and how long CPUs have been idle: of two of them, how much work there was."""

    at_s: float
    idle_s: float
    cpus: int

    def busy_since(self, before: "WorkClock") -> float:
        """Return the CPU seconds in between that were not idle, be it for whom; the host's too."""
        return max(0.0, (self.at_s - before.at_s) * self.cpus - (self.idle_s - before.idle_s))


def read_work(roots: Roots, cpus: tuple[int, ...]) -> WorkClock | None:
    """Return the clock of CPUs; None where it is not told, or a recorded one that stands still."""
    found = read_cpu_time(roots.proc, cpus) if roots.is_live else None
    if found is None:
        return None
    return WorkClock(time.monotonic(), found.idle / os.sysconf("SC_CLK_TCK"), len(cpus))


@dataclass(slots=True)
class FrequencyWatch:
    """Reads frequencies now and then while they are pinned, and keeps what was off."""

    roots: Roots
    cpus: tuple[int, ...]
    pinned_khz: int
    readings: int = 0
    off: dict[str, int] = field(default_factory=dict)  # readings that were off, by policy
    worst_khz: dict[str, int] = field(default_factory=dict)

    def look(self) -> None:
        """Read all policies once; off is what differs by more than DRIFT_SHARE."""
        self.readings += 1
        for policy in read_frequency(self.roots, self.cpus).policies:
            khz = policy.current_khz
            if khz is None or self._distance(khz) <= self.pinned_khz * DRIFT_SHARE:
                continue
            self.off[policy.name] = self.off.get(policy.name, 0) + 1
            worst = self.worst_khz.get(policy.name, self.pinned_khz)
            self.worst_khz[policy.name] = max(worst, khz, key=self._distance)

    def _distance(self, khz: int) -> int:
        return abs(khz - self.pinned_khz)

    def drift(self) -> tuple[str, ...]:
        """Return which policies drifted, how often and how far."""
        return tuple(
            f"frequency drifted: {policy} was off {self.pinned_khz} kHz in {count} of "
            f"{self.readings} readings, at worst {self.worst_khz[policy]} kHz"
            for policy, count in self.off.items()
        )
