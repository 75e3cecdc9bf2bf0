"""Running a command to its end with the CPU and memory it took."""

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command and its children took."""

    cpu_s: float
    wall_s: float
    peak_bytes: int
    status: int


def run(command: Sequence[str], *, cwd: Path | None = None) -> Cost:
    """Return the cost of a command whose output goes to /dev/null."""
    start = time.perf_counter()
    with open(os.devnull, "w", encoding="utf-8") as sink:
        process = subprocess.Popen(
            command, stdout=sink, stderr=sink, stdin=subprocess.DEVNULL, cwd=cwd
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(
        cpu_s=usage.ru_utime + usage.ru_stime,
        wall_s=time.perf_counter() - start,
        peak_bytes=usage.ru_maxrss * 1024,
        status=process.returncode,
    )
