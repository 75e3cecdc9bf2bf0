"""What ``stallscope-kernels mix`` measured of itself: the known answer of its profile."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from stallscope.errors import TargetError

SCHEMA = "stallscope.kernels.mix/1"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """CPU nanoseconds of each known function up to a moment of CLOCK_MONOTONIC."""

    time_ns: int
    cpu_ns: dict[str, int]


def snapshots(lines: Iterable[str]) -> list[Snapshot]:
    """Return the program's snapshots, oldest first; other lines are passed over."""
    found = []
    for line in lines:
        if SCHEMA in line:
            document = json.loads(line)
            found.append(Snapshot(document["time_ns"], document["cpu_ns"]))
    return found


def true_shares(lines: list[Snapshot], start_ns: int, end_ns: int) -> dict[str, float]:
    """Return each function's share, 0..1, of the CPU time between two moments.

    The snapshots nearest to the moments bound the window. Raises TargetError where there are none.
    """
    if len(lines) < 2:
        raise TargetError(
            "stallscope-kernels mix printed fewer than two snapshots",
            "run stallscope-kernels mix by itself to see why",
        )
    first = min(lines, key=lambda line: abs(line.time_ns - start_ns))
    last = min(lines, key=lambda line: abs(line.time_ns - end_ns))
    spent = {name: value - first.cpu_ns.get(name, 0) for name, value in last.cpu_ns.items()}
    whole = sum(spent.values())
    return {name: value / whole if whole else float("nan") for name, value in spent.items()}
