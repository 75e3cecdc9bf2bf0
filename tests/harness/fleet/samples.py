"""Parts of a data set with known samples."""

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from harness.fleet.dataset.parts import Part, hour_of, write_part

if TYPE_CHECKING:
    from harness.fleet.top.session import PartFunctions

HOUR_NS = 3_600_000_000_000


def write_samples(
    root: Path,
    host: str,
    values: dict[tuple[str, ...], int],
    *,
    event: str = "cpu-clock",
    hour: int = 0,
) -> Part:
    """Write a part with these stacks, outermost function first."""
    begin_ns = hour * HOUR_NS
    part = Part(str(root), host, hour_of(begin_ns), f"{event}-{hour}")
    keys = [abs(hash(stack)) % 2**60 for stack in values]
    count = len(values)
    write_part(
        part,
        {
            "samples": {
                "begin_ns": [begin_ns] * count,
                "end_ns": [begin_ns + 10] * count,
                "event": [event] * count,
                "unit": ["ns"] * count,
                "process": ["work"] * count,
                "stack": keys,
                "samples": [1] * count,
                "value": list(values.values()),
            },
            "stacks": {
                "stack": keys,
                "functions": [list(stack) for stack in values],
                "modules": [["bin"] * len(stack) for stack in values],
            },
        },
    )
    return part


def two_hosts(root: Path) -> Path:
    """Return a fleet of the hosts a and b."""
    write_samples(root, "a", {("main", "f"): 10, ("main", "f", "f"): 5, ("main",): 1})
    write_samples(root, "b", {("main", "g"): 20})
    return root


def write_rows(root: Path, host: str, table: str, rows: list[dict[str, object]]) -> Part:
    """Write a part of one table; begin and end are added to each row."""
    part = Part(str(root), host, hour_of(0), f"{table}-0")
    complete = [{"begin_ns": 0, "end_ns": 10, **row} for row in rows]
    columns = {name: [row[name] for row in complete] for name in complete[0]}
    write_part(part, {table: columns})
    return part


def kill_worker(mark: Path, part: Part) -> "PartFunctions":
    """Return the functions of a part; that of host b kills its worker while ``mark`` exists."""
    # Workers import this module: it stays light.
    from harness.fleet.top.session import part_functions

    if part.host == "b" and mark.exists():
        if mark.stat().st_size == 0:  # once
            mark.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return part_functions(part)
