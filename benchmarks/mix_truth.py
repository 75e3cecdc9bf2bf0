"""The CPU time that ``stallscope-kernels mix`` measures itself: the truth for its profile."""

import json
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from stallscope.errors import TargetError
from stallscope.programs import program

SCHEMA = "stallscope.kernels.mix/1"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """CPU nanoseconds of each known function up to a moment of CLOCK_MONOTONIC."""

    time_ns: int
    cpu_ns: dict[str, int]


@dataclass(frozen=True, slots=True)
class RunningMix:
    """The running program, and the file of its snapshots."""

    pid: int
    output: IO[str]

    def shares(self, start_ns: int, end_ns: int) -> dict[str, float]:
        """Return each function's true share, 0..1, of the CPU time between two moments."""
        self.output.seek(0)
        return true_shares(snapshots(self.output.read()), start_ns, end_ns)


@contextmanager
def running_mix(max_seconds: int = 60) -> Iterator[RunningMix]:
    """Run the program until the end of the block; all its threads run when the block begins.

    Raises TargetError if it ends before its first snapshot.
    """
    with tempfile.TemporaryFile("w+") as output:
        command = [str(program("stallscope-kernels")), "mix", "--duration", str(max_seconds)]
        with subprocess.Popen(command, stdout=output) as process:
            try:
                while not output.seek(0, 2):
                    try:
                        process.wait(timeout=0.05)
                    except subprocess.TimeoutExpired:
                        continue
                    raise TargetError(
                        f"stallscope-kernels mix ended at its start (status {process.returncode})",
                        "run stallscope-kernels mix directly to see the reason",
                    )
                yield RunningMix(process.pid, output)
            finally:
                process.terminate()


def snapshots(text: str) -> list[Snapshot]:
    """Return the program's snapshots, oldest first; other lines are ignored."""
    items = []
    for line in text.splitlines():
        if SCHEMA in line and line.endswith("}"):
            document = json.loads(line)
            items.append(Snapshot(document["time_ns"], document["cpu_ns"]))
    return items


def true_shares(items: list[Snapshot], start_ns: int, end_ns: int) -> dict[str, float]:
    """Return each function's share, 0..1, of the CPU time between two moments.

    The snapshots nearest to the moments bound the window. Raises TargetError without two of them.
    """
    if len(items) < 2:
        raise TargetError(
            "stallscope-kernels mix printed fewer than two snapshots",
            "run stallscope-kernels mix directly to see the reason",
        )
    first = min(items, key=lambda item: abs(item.time_ns - start_ns))
    last = min(items, key=lambda item: abs(item.time_ns - end_ns))
    spent = {name: value - first.cpu_ns.get(name, 0) for name, value in last.cpu_ns.items()}
    total = sum(spent.values())
    return {name: value / total if total else float("nan") for name, value in spent.items()}
