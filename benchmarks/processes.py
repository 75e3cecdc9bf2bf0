"""The CPU time, wall time and memory of a command."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.interleaving import sides

# The kernel counts the memory of the process that starts a command in the command's peak. So a
# Python with few modules (about 9 MiB) starts it and writes the usage or an errno to a pipe.
LAUNCHER = """
import posix, sys, time, _signal
writer, command = int(sys.argv[1]), sys.argv[2:]
posix.set_inheritable(writer, False)
start = time.perf_counter()
try:
    child = posix.posix_spawnp(
        command[0], command, posix.environ, setsigdef=[_signal.SIGPIPE, _signal.SIGXFSZ]
    )
except OSError as error:
    posix.write(writer, str(error.errno).encode())
    sys.exit(1)
_, status, usage = posix.wait4(child, 0)
wall_s = time.perf_counter() - start
cpu_s = usage.ru_utime + usage.ru_stime
posix.write(writer, f"{cpu_s!r} {wall_s!r} {usage.ru_maxrss} {status}".encode())
"""


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
    reader, writer = os.pipe()
    with open(reader, encoding="ascii") as result:
        try:
            # The launcher's own exit status says nothing: its result is checked.
            launcher = (sys.executable, "-I", "-S", "-c", LAUNCHER, str(writer), *command)
            subprocess.run(
                launcher,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=cwd,
                pass_fds=(writer,),
                check=False,
            )
        finally:
            os.close(writer)
        match result.read().split():
            case [cpu_s, wall_s, peak_kib, status]:
                return Cost(
                    cpu_s=float(cpu_s),
                    wall_s=float(wall_s),
                    peak_bytes=int(peak_kib) * 1024,
                    status=os.waitstatus_to_exitcode(int(status)),
                )
            case [error]:
                raise OSError(int(error), os.strerror(int(error)), command[0])
            case _:
                raise RuntimeError(f"the process that starts {command} failed")


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
