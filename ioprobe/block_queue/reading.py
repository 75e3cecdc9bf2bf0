"""All that a machine tells of a path's queue at once, and what its devices did over an interval."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ioprobe.block_queue.devices import read_stack
from ioprobe.block_queue.place import find_place
from ioprobe.block_queue.queue import BlockQueue, Pressure, PressureLine, QueueDevice
from stallscope.system_files import Roots, read_text

_FIELDS = 11  # of sysfs' stat, before discards were counted


@dataclass(frozen=True, slots=True)
class Activity:
    """What one device did over an interval."""

    reads_per_s: float
    writes_per_s: float
    read_bytes_per_s: float
    written_bytes_per_s: float
    merged_share: float | None  # of requests that came, 0..1; None where none came
    mean_read_ms: float | None  # None where nothing was read
    mean_write_ms: float | None
    mean_in_flight: float
    busy_share: float


@dataclass(frozen=True, slots=True)
class Interval:
    """How long was counted, and what each device did; those whose counters went back are not in."""

    seconds: float
    devices: dict[str, Activity]


def read_block_queue(path: Path, roots: Roots) -> BlockQueue:
    """Return what a path's requests pass; UsageError where the path leads nowhere."""
    place = find_place(path, roots)
    pressure = read_pressure(roots)
    missing = None if pressure else "this kernel has no /proc/pressure/io (PSI), or it is off"
    return BlockQueue(place, read_stack(place.numbers, roots), pressure, missing)


def read_pressure(roots: Roots) -> Pressure | None:
    """Return the stalls on I/O; None where the kernel does not tell."""
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
    return Pressure(lines["some"], lines.get("full")) if "some" in lines else None


def over_interval(
    devices: tuple[QueueDevice, ...],
    roots: Roots,
    *,
    seconds: float,
    wait: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Interval:
    """Return what the devices did while ``wait`` ran, from sysfs' counters before and after."""
    began = clock()
    before = {device.name: _counters(device, roots) for device in devices}
    wait(seconds)
    took = clock() - began
    done: dict[str, Activity] = {}
    for device in devices:
        first, second = before[device.name], _counters(device, roots)
        if first and second and all(a <= b for a, b in zip(first, second, strict=True)):
            grown = [b - a for a, b in zip(first, second, strict=True)]
            done[device.name] = _activity(grown, took)
    return Interval(took, done)


def _counters(device: QueueDevice, roots: Roots) -> tuple[int, ...]:
    """Return the growing counters of stat, Documentation/block/stat.rst; empty where unread."""
    text = read_text(roots.sys / "dev" / "block" / device.number / "stat", 4096) or ""
    words = text.split()[:_FIELDS]
    if len(words) < _FIELDS or not all(word.isdecimal() for word in words):
        return ()
    values = [int(word) for word in words]
    del values[8]  # in flight, which goes up and down
    return tuple(values)


def _activity(grown: list[int], seconds: float) -> Activity:
    reads, read_merges, read_sectors, read_ms, writes, write_merges, write_sectors, write_ms = (
        grown[:8]
    )
    busy_ms, waited_ms = grown[8:10]
    came = reads + writes + read_merges + write_merges
    return Activity(
        reads_per_s=reads / seconds,
        writes_per_s=writes / seconds,
        read_bytes_per_s=512 * read_sectors / seconds,
        written_bytes_per_s=512 * write_sectors / seconds,
        merged_share=(read_merges + write_merges) / came if came else None,
        mean_read_ms=read_ms / reads if reads else None,
        mean_write_ms=write_ms / writes if writes else None,
        mean_in_flight=waited_ms / 1000 / seconds,
        busy_share=min(1.0, busy_ms / 1000 / seconds),
    )
