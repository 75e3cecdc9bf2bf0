"""Load by others: what used CPUs before a run, and what queued the program meanwhile."""

import os
import time
from collections.abc import Iterable
from pathlib import Path

from harness.diagnose.confidence import LEAST_COST
from harness.diagnose.result import CpuUser

BEFORE_S = 0.3
# The fields of the line "cpu" of /proc/stat in which a CPU does not idle, without those of guests.
_BUSY_FIELDS = (0, 1, 2, 5, 6, 7)
# A program that is queued behind others for a share that stands out is disturbed.
MOST_BEHIND_OTHERS = LEAST_COST
_OTHERS = ("process", "kernel thread", "unknown")
_OF_DISKS = ("kworker", "loop")  # threads of the kernel that work for the entry's own requests


def busy_share(stat: Path = Path("/proc/stat"), seconds: float = BEFORE_S) -> float:
    """Return the share of all CPUs, 0..1, that is in use or stolen now, with other programs'."""
    before = _busy_ticks(stat)
    began = time.monotonic()
    time.sleep(seconds)
    elapsed = time.monotonic() - began
    ticks = (_busy_ticks(stat) - before) / os.sysconf("SC_CLK_TCK")
    return min(1.0, max(0.0, ticks / elapsed / (os.cpu_count() or 1)))


def _busy_ticks(stat: Path) -> int:
    fields = stat.read_text().partition("\n")[0].split()[1:]
    return sum(int(fields[place]) for place in _BUSY_FIELDS)


def behind_others(users: Iterable[CpuUser], names: Iterable[str]) -> float:
    """Return the share of the wall time in which threads were queued behind other processes.

    ``names``: processes of the entry itself.
    """
    own = {name for name in names if name}
    return sum(
        user.share
        for user in users
        if user.kind in _OTHERS
        and user.name not in own
        and not (user.kind == "kernel thread" and user.name.startswith(_OF_DISKS))
    )
