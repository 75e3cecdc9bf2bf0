"""Activity of block devices over an interval, from the counters in sysfs."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from ioprobe.block_queue.queue import QueueDevice
from stallscope.documents import Amount, Record, Share
from stallscope.system_files import Roots, read_text

_FIELDS = 11  # of sysfs' stat, before discards were counted


class DeviceActivity(Record, frozen=True, kw_only=True):
    """Activity of one device over an interval."""

    reads_per_s: Amount
    writes_per_s: Amount
    read_bytes_per_s: Amount
    written_bytes_per_s: Amount
    merged_share: Share | None  # of all requests, 0..1; None without requests
    mean_read_ms: Amount | None  # None without reads
    mean_write_ms: Amount | None
    mean_in_flight: Amount
    busy_share: Amount


@dataclass(frozen=True, slots=True)
class ActivityInterval:
    """Length of an interval and activity by device; a device whose counters fell is left out."""

    seconds: float
    devices: dict[str, DeviceActivity]


def measure_activity(
    devices: tuple[QueueDevice, ...],
    roots: Roots,
    *,
    seconds: float,
    wait: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> ActivityInterval:
    """Return the activity of devices during ``wait``, from the counters before and after."""
    start_s = clock()
    before = {device.name: _counters(device, roots) for device in devices}
    wait(seconds)
    elapsed_s = clock() - start_s
    activities: dict[str, DeviceActivity] = {}
    for device in devices:
        first, second = before[device.name], _counters(device, roots)
        if first and second and all(a <= b for a, b in zip(first, second, strict=True)):
            increments = [b - a for a, b in zip(first, second, strict=True)]
            activities[device.name] = _activity(increments, elapsed_s)
    return ActivityInterval(elapsed_s, activities)


def _counters(device: QueueDevice, roots: Roots) -> tuple[int, ...]:
    """Return the rising counters of Documentation/block/stat.rst; empty if unreadable."""
    text = read_text(roots.sys / "dev" / "block" / device.number / "stat", 4096) or ""
    words = text.split()[:_FIELDS]
    if len(words) < _FIELDS or not all(word.isdecimal() for word in words):
        return ()
    values = [int(word) for word in words]
    del values[8]  # requests in flight, which is not a counter
    return tuple(values)


def _activity(increments: list[int], seconds: float) -> DeviceActivity:
    reads, read_merges, read_sectors, read_ms, writes, write_merges, write_sectors, write_ms = (
        increments[:8]
    )
    busy_ms, queue_ms = increments[8:10]
    requests = reads + writes + read_merges + write_merges
    return DeviceActivity(
        reads_per_s=reads / seconds,
        writes_per_s=writes / seconds,
        read_bytes_per_s=512 * read_sectors / seconds,
        written_bytes_per_s=512 * write_sectors / seconds,
        merged_share=(read_merges + write_merges) / requests if requests else None,
        mean_read_ms=read_ms / reads if reads else None,
        mean_write_ms=write_ms / writes if writes else None,
        mean_in_flight=queue_ms / 1000 / seconds,
        busy_share=min(1.0, busy_ms / 1000 / seconds),
    )
