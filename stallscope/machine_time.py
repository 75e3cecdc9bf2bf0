"""CPU time of a machine or of some of its CPUs, in ticks of the kernel's clock (proc_stat(5))."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from stallscope.system_files import read_text

_FIELDS = slice(1, 9)  # user, nice, system, idle, iowait, irq, softirq, steal


@dataclass(frozen=True, slots=True)
class MachineTime:
    """Ticks of CPUs since boot: all of them, idle ones, and those stolen by the host."""

    all: int
    idle: int  # including iowait
    stolen: int
    iowait: int  # idle while a task of the CPU waits for block I/O
    interrupts: int = 0  # of devices and their deferred work (irq, softirq)


def read_machine_time(proc: Path) -> MachineTime | None:
    """Return the time of the whole machine; None if it cannot be read."""
    return _times_by_name(proc).get("cpu")


def read_cpu_time(proc: Path, cpus: Collection[int]) -> MachineTime | None:
    """Return the total time of some CPUs; None if one of them is missing, such as offline CPUs."""
    by_name = _times_by_name(proc)
    times = [by_name[f"cpu{cpu}"] for cpu in cpus if f"cpu{cpu}" in by_name]
    if not times or len(times) < len(cpus):
        return None
    return MachineTime(
        sum(time.all for time in times),
        sum(time.idle for time in times),
        sum(time.stolen for time in times),
        sum(time.iowait for time in times),
        sum(time.interrupts for time in times),
    )


def _times_by_name(proc: Path) -> dict[str, MachineTime]:
    """Return the times by the name of their line: "cpu" for all CPUs, "cpu3" for CPU 3."""
    times = {}
    for line in (read_text(proc / "stat") or "").splitlines():
        words = line.split()
        if line.startswith("cpu") and len(words) >= 9 and all(map(str.isdecimal, words[_FIELDS])):
            ticks = [int(word) for word in words[_FIELDS]]
            times[words[0]] = MachineTime(
                sum(ticks), ticks[3] + ticks[4], ticks[7], ticks[4], ticks[5] + ticks[6]
            )
    return times
