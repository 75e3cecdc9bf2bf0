"""`stallscope io queue` for a terminal: the depth first, then the stack from the top."""

from collections.abc import Iterable, Iterator

from harness.io.queue_watched import Watched, stalls_lines
from harness.terminal import percent, printable, wrapped
from ioprobe.block_queue import BlockQueue, Pressure, PressureLine, QueueDevice
from ioprobe.block_queue_meaning import (
    Meaning,
    depth_of,
    device_meanings,
    mount_meanings,
    options_of,
)
from ioprobe.block_queue_reading import Activity, Interval
from stallscope.sizes import size_text

_LABEL, _VALUE = 17, 19
_LEAST_ROOM = 30  # of meanings beside their values; else they stand below


def lines(found: BlockQueue, watched: Watched | None, room: int) -> Iterator[str]:
    """Yield the lines, at most ``room`` columns wide where words allow."""
    place = found.place
    yield from wrapped(f"{place.path} ({place.kind})", room, "  ")
    if place.missing:
        yield from wrapped(f"No block device: {place.missing}", room, "  ")
    else:
        yield from wrapped(depth_of(found), room, "  ")
    if place.mount:
        mount = place.mount
        yield ""
        head = f"Mount {mount.mount_point} of {mount.source} ({','.join(options_of(mount))})"
        yield from wrapped(head, room, "  ")
        yield from _rows(mount_meanings(mount), room)
    for alike in _alike(found.devices):
        yield ""
        for device in alike:
            yield from wrapped(_head(device), room, "  ")
            if watched:
                yield from wrapped(_over(device, watched.interval), room, "    ")
        yield from _rows(device_meanings(alike[0]), room)
    yield ""
    if watched:
        yield from stalls_lines(watched, room)
        yield ""
    yield from wrapped(_pressure(found.pressure, found.pressure_missing), room, "  ")


def _alike(devices: Iterable[QueueDevice]) -> Iterable[list[QueueDevice]]:
    """Return devices in groups of which all the same is said, as an array's members."""
    groups: dict[object, list[QueueDevice]] = {}
    for device in devices:
        said = (device.level, device.kind, tuple(device_meanings(device)))
        groups.setdefault(said, []).append(device)
    return groups.values()


def _head(device: QueueDevice) -> str:
    size = "" if device.size_bytes is None else f", {size_text(device.size_bytes)}"
    above = f", below {', '.join(device.holders)}" if device.holders else ""
    return f"{'  ' * device.level}{device.name}: {device.what}{size}{above}".strip()


def _rows(meanings: Iterable[Meaning], room: int) -> Iterator[str]:
    for each in meanings:
        yield from _row(each, room)


def _row(each: Meaning, room: int) -> Iterator[str]:
    label = f"  {printable(each.label):<{_LABEL}}"
    value = printable(each.value)
    left = len(label) + _VALUE + 1
    if room - left < _LEAST_ROOM or len(value) > _VALUE:
        yield (label + value).rstrip()
        yield from (f"      {line}" for line in wrapped(each.meaning, max(room - 6, 20)))
        return
    first, *rest = wrapped(each.meaning, room - left)
    yield f"{label}{value:<{_VALUE}} {first}".rstrip()
    yield from (" " * left + line for line in rest)


def _over(device: QueueDevice, interval: Interval) -> str:
    activity = interval.devices.get(device.name)
    head = f"  In {interval.seconds:.3g} s:"
    if activity is None:
        return f"{head} not told: its counters cannot be read, or were set back"
    return f"{head} {activity_text(activity)}"


def activity_text(activity: Activity) -> str:
    """Return what a device did, in a line."""
    read, written = (
        size_text(int(per_s)) for per_s in (activity.read_bytes_per_s, activity.written_bytes_per_s)
    )
    parts = [
        f"{activity.reads_per_s:,.0f} reads/s ({read}/s{_mean(activity.mean_read_ms)})",
        f"{activity.writes_per_s:,.0f} writes/s ({written}/s{_mean(activity.mean_write_ms)})",
        f"{activity.mean_in_flight:.3g} in flight on average",
        f"busy {percent(activity.busy_share)}",
    ]
    if activity.merged_share is not None:
        parts.append(f"{percent(activity.merged_share)} of requests were merged")
    return ", ".join(parts)


def _mean(milliseconds: float | None) -> str:
    return "" if milliseconds is None else f", mean {milliseconds:.3g} ms"


def _pressure(pressure: Pressure | None, missing: str | None) -> str:
    if pressure is None:
        return f"Stalls on I/O (PSI): not told: {missing}"
    text = f"Stalls on I/O (PSI): some tasks waited {_line(pressure.some)}"
    if pressure.full:
        text += f"; all that had work {_line(pressure.full)}"
    return text + ": of all disks of this machine."


def _line(line: PressureLine) -> str:
    return f"{percent(line.avg10)} of the last 10 s, {percent(line.avg60)} of the last minute"
