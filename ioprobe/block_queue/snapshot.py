"""The state of a path's queues at one moment."""

from pathlib import Path

from ioprobe.block_queue.devices import read_stack
from ioprobe.block_queue.location import find_location
from ioprobe.block_queue.queue import BlockQueue, PressureLine, QueuePressure
from stallscope.system_files import Roots, read_text


def read_block_queue(path: Path, roots: Roots) -> BlockQueue:
    """Return the block layer below a path; UsageError if the path does not exist."""
    location = find_location(path, roots)
    pressure = read_pressure(roots)
    missing = None if pressure else "this kernel has no /proc/pressure/io (PSI), or it is off"
    return BlockQueue(location, read_stack(location.numbers, roots), pressure, missing)


def read_pressure(roots: Roots) -> QueuePressure | None:
    """Return the I/O pressure; None if the kernel does not report it."""
    lines: dict[str, PressureLine] = {}
    for text in (read_text(roots.proc / "pressure" / "io", 4096) or "").splitlines():
        kind, *words = text.split()
        values = dict(word.split("=", 1) for word in words if "=" in word)
        try:
            lines[kind] = PressureLine(
                avg10=float(values["avg10"]) / 100,
                avg60=float(values["avg60"]) / 100,
                avg300=float(values["avg300"]) / 100,
                total_us=int(values["total"]),
            )
        except (KeyError, ValueError):
            return None
    return QueuePressure(lines["some"], lines.get("full")) if "some" in lines else None
