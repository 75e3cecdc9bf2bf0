"""The time of all the machine's CPUs, in ticks of the kernel's clock (proc_stat(5))."""

from dataclasses import dataclass
from pathlib import Path

from stallscope.system_files import read_text

_FIELDS = slice(1, 9)  # user, nice, system, idle, iowait, irq, softirq, steal


@dataclass(frozen=True, slots=True)
class MachineTime:
    """Ticks since the machine's start: of all CPUs, without work, and taken by its host."""

    all: int
    idle: int
    stolen: int


def read_machine_time(proc: Path) -> MachineTime | None:
    """Return the machine's time so far; None where it cannot be read."""
    for line in (read_text(proc / "stat", 1 << 16) or "").splitlines():
        words = line.split()
        if words[:1] == ["cpu"] and len(words) >= 9 and all(w.isdecimal() for w in words[_FIELDS]):
            ticks = [int(word) for word in words[_FIELDS]]
            return MachineTime(sum(ticks), ticks[3] + ticks[4], ticks[7])
    return None
