"""The time of a machine's CPUs, all or some, in ticks of the kernel's clock (proc_stat(5))."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from stallscope.system_files import read_text

_FIELDS = slice(1, 9)  # user, nice, system, idle, iowait, irq, softirq, steal


@dataclass(frozen=True, slots=True)
class MachineTime:
    """Ticks of CPUs since the machine's start: all, without work, and taken by its host."""

    all: int
    idle: int
    stolen: int


def read_machine_time(proc: Path) -> MachineTime | None:
    """Return the machine's time so far; None where it cannot be read."""
    return _lines(proc).get("cpu")


def read_cpu_time(proc: Path, cpus: Collection[int]) -> MachineTime | None:
    """Return the time of some CPUs together; None where one's cannot be read, as if offline."""
    told = _lines(proc)
    found = [told.get(f"cpu{cpu}") for cpu in cpus]
    known = [each for each in found if each is not None]
    if not known or len(known) < len(found):
        return None
    return MachineTime(
        sum(each.all for each in known),
        sum(each.idle for each in known),
        sum(each.stolen for each in known),
    )


def _lines(proc: Path) -> dict[str, MachineTime]:
    """Return the time by the line's name: "cpu" of all of them, "cpu3" of one."""
    found = {}
    for line in (read_text(proc / "stat") or "").splitlines():
        words = line.split()
        if line.startswith("cpu") and len(words) >= 9 and all(map(str.isdecimal, words[_FIELDS])):
            ticks = [int(word) for word in words[_FIELDS]]
            found[words[0]] = MachineTime(sum(ticks), ticks[3] + ticks[4], ticks[7])
    return found
