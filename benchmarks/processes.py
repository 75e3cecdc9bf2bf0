"""The CPU time, wall time and memory of a command."""

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.interleaving import sides


@dataclass(frozen=True, slots=True)
class Cost:
    """Resources used by a command and its children."""

    cpu_s: float
    wall_s: float
    peak_bytes: int
    status: int

    @property
    def peak_mib(self) -> float:
        """Return the peak memory in MiB."""
        return self.peak_bytes / 2**20


def run(command: Sequence[str], *, cwd: Path | None = None) -> Cost:
    """Return the cost of a command; its output is discarded."""
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


def checked(command: Sequence[str]) -> Cost:
    """Return the cost of a command; RuntimeError if it fails."""
    cost = run(command)
    if cost.status != 0:
        raise RuntimeError(f"status {cost.status} of {command}")
    return cost


def alternate(
    ours: Sequence[str],
    peer: Sequence[str],
    pairs: int,
    prepare: Callable[[], None] = lambda: None,
) -> tuple[list[Cost], list[Cost]]:
    """Return the costs of two commands that run in turn after ``prepare`` and must succeed."""
    costs: dict[str, list[Cost]] = {"ours": [], "peer": []}
    for side in sides(pairs):
        prepare()
        costs[side].append(checked(ours if side == "ours" else peer))
    return costs["ours"], costs["peer"]
