"""`stallscope io queue` for a terminal: the depth first, then the stack from the top."""

from collections.abc import Iterable, Iterator

from harness.cli.terminal import percent, printable, wrapped
from harness.io.queue.shown import DeviceShown, MountShown, QueueShown
from harness.io.queue.stalls import stalls_lines
from ioprobe.block_queue.activity import ActivityInterval, DeviceActivity
from ioprobe.block_queue.queue import PressureLine
from ioprobe.block_queue.settings import QueueSetting
from stallscope.quantities import size_text

_LABEL, _VALUE = 17, 19
_LEAST_ROOM = 30  # of meanings beside their values; else they stand below


def lines(shown: QueueShown, room: int) -> Iterator[str]:
    """Yield the lines, at most ``room`` columns wide where words allow."""
    yield from wrapped(shown.title, room, "  ")
    yield from wrapped(depth_text(shown), room, "  ")
    if shown.mount:
        yield ""
        yield from wrapped(mount_text(shown.mount), room, "  ")
        yield from _rows(shown.mount.settings, room)
    for devices in alike(shown.devices):
        yield ""
        for device in devices:
            yield from wrapped(device_text(device), room, "  ")
            if shown.watched:
                over = over_text(device, shown.watched.interval)
                yield from wrapped(f"  {over}", room, "    ")
        yield from _rows(devices[0].settings, room)
    yield ""
    if shown.watched:
        yield from stalls_lines(shown.watched, room)
        yield ""
    yield from wrapped(pressure_text(shown), room, "  ")


def depth_text(shown: QueueShown) -> str:
    """Return what bounds the requests of the path, or why nothing tells."""
    return f"No block device: {shown.missing}" if shown.missing else shown.depth


def mount_text(mount: MountShown) -> str:
    """Return a mount in a line."""
    return f"Mount {mount.point} of {mount.source} ({','.join(mount.options)})"


def alike(devices: Iterable[DeviceShown]) -> Iterable[list[DeviceShown]]:
    """Return devices in groups of which all the same is said, as an array's members."""
    groups: dict[object, list[DeviceShown]] = {}
    for device in devices:
        groups.setdefault((device.level, device.kind, device.settings), []).append(device)
    return groups.values()


def device_text(device: DeviceShown) -> str:
    """Return a device in a line."""
    size = "" if device.size_bytes is None else f", {size_text(device.size_bytes)}"
    above = f", below {', '.join(device.holders)}" if device.holders else ""
    return f"{device.name}: {device.what}{size}{above}"


def _rows(meanings: Iterable[QueueSetting], room: int) -> Iterator[str]:
    for each in meanings:
        yield from _row(each, room)


def _row(each: QueueSetting, room: int) -> Iterator[str]:
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


def over_text(device: DeviceShown, interval: ActivityInterval) -> str:
    """Return what a device did over the interval, or that it is not told."""
    activity = interval.devices.get(device.name)
    head = f"In {interval.seconds:.3g} s:"
    if activity is None:
        return f"{head} not told: its counters cannot be read, or were set back"
    return f"{head} {activity_text(activity)}"


def activity_text(activity: DeviceActivity) -> str:
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


def pressure_text(shown: QueueShown) -> str:
    """Return how long tasks waited for I/O, or why that is not told."""
    pressure = shown.pressure
    if pressure is None:
        return f"Stalls on I/O (PSI): not told: {shown.pressure_missing}"
    text = f"Stalls on I/O (PSI): some tasks waited {_line(pressure.some)}"
    if pressure.full:
        text += f"; all that had work {_line(pressure.full)}"
    return text + ": of all disks of this machine."


def _line(line: PressureLine) -> str:
    return f"{percent(line.avg10)} of the last 10 s, {percent(line.avg60)} of the last minute"
