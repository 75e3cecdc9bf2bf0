"""The queue of a path for a terminal: limits on depth first, then the stack from the top."""

from collections.abc import Iterable, Iterator

from harness.cli.terminal import percent, printable, wrapped
from harness.io.queue.result import DeviceDescription, MountDescription, QueueResult
from harness.io.queue.stalls_text import stalls_lines
from ioprobe.block_queue.activity import DeviceActivity
from ioprobe.block_queue.implied_throughput import ImpliedThroughput
from ioprobe.block_queue.queue import PressureLine
from ioprobe.block_queue.settings import QueueSetting
from stallscope.quantities import size_text

_LABEL, _VALUE = 17, 19
_MIN_MEANING = 30  # columns beside the value; with less the meaning is below


def lines(result: QueueResult, width: int) -> Iterator[str]:
    """Yield the lines, at most ``width`` columns wide if words permit."""
    yield from wrapped(result.headline, width, "  ")
    yield from wrapped(depth_text(result), width, "  ")
    if result.mount:
        yield ""
        yield from wrapped(mount_text(result.mount), width, "  ")
        yield from _setting_lines(result.mount.settings, width)
    for devices in equal_devices(result.devices):
        yield ""
        for device in devices:
            yield from wrapped(device_text(device), width, "  ")
            if result.interval_s is not None:
                text = interval_text(device, result.interval_s)
                yield from wrapped(f"  {text}", width, "    ")
            for implied in device.implied_throughput:
                yield from wrapped(f"  {implied_text(implied)}", width, "    ")
        yield from _setting_lines(devices[0].settings, width)
    yield ""
    if result.interval_s is not None:
        yield from stalls_lines(result, width)
        yield ""
    yield from wrapped(pressure_text(result), width, "  ")


def depth_text(result: QueueResult) -> str:
    """Return the limits on requests in flight, or why there is no block device."""
    return f"No block device: {result.missing}" if result.missing else result.depth


def mount_text(mount: MountDescription) -> str:
    """Return the mount in one line."""
    return f"Mount {mount.point} of {mount.source} ({','.join(mount.options)})"


def equal_devices(devices: Iterable[DeviceDescription]) -> Iterable[list[DeviceDescription]]:
    """Return devices grouped by equal settings, such as the members of an array."""
    groups: dict[object, list[DeviceDescription]] = {}
    for device in devices:
        groups.setdefault((device.level, device.kind, device.settings), []).append(device)
    return groups.values()


def device_text(device: DeviceDescription) -> str:
    """Return the device in one line."""
    size = "" if device.size_bytes is None else f", {size_text(device.size_bytes)}"
    above = f", below {', '.join(device.holders)}" if device.holders else ""
    return f"{device.name}: {device.description}{size}{above}"


def _setting_lines(settings: Iterable[QueueSetting], width: int) -> Iterator[str]:
    for setting in settings:
        label = f"  {printable(setting.label):<{_LABEL}}"
        value = printable(setting.value)
        indent = len(label) + _VALUE + 1
        if width - indent < _MIN_MEANING or len(value) > _VALUE:
            yield (label + value).rstrip()
            yield from (f"      {line}" for line in wrapped(setting.meaning, max(width - 6, 20)))
            continue
        first, *rest = wrapped(setting.meaning, width - indent)
        yield f"{label}{value:<{_VALUE}} {first}".rstrip()
        yield from (" " * indent + line for line in rest)


def interval_text(device: DeviceDescription, seconds: float) -> str:
    """Return the activity of a device over the interval, or why it is missing."""
    start = f"In {seconds:.3g} s:"
    if device.over_interval is None:
        return f"{start} unknown: its counters are unreadable or were reset"
    return f"{start} {activity_text(device.over_interval)}"


def activity_text(activity: DeviceActivity) -> str:
    """Return the activity of a device in one line."""
    read, written = (
        size_text(int(per_s)) for per_s in (activity.read_bytes_per_s, activity.written_bytes_per_s)
    )
    parts = [
        f"{activity.reads_per_s:,.0f} reads/s ({read}/s{_mean_text(activity.mean_read_ms)})",
        f"{activity.writes_per_s:,.0f} writes/s ({written}/s{_mean_text(activity.mean_write_ms)})",
        f"{activity.mean_in_flight:.3g} in flight on average",
        f"busy {percent(activity.busy_share)}",
    ]
    if activity.merged_share is not None:
        parts.append(f"{percent(activity.merged_share)} of requests were merged")
    return ", ".join(parts)


def implied_text(implied: ImpliedThroughput) -> str:
    """Return the throughput that a full queue implies, as a formula and a comparison."""
    size, rate, measured = (
        size_text(round(value))
        for value in (implied.request_bytes, implied.bytes_per_s, implied.measured_bytes_per_s)
    )
    return (
        f"{implied.source.capitalize()}: a full queue of {implied.direction} would carry at most "
        f"{rate}/s (nr_requests {implied.requests} x {size} / {implied.latency_ms:.3g} ms); "
        f"measured {measured}/s"
    )


def _mean_text(milliseconds: float | None) -> str:
    return "" if milliseconds is None else f", mean {milliseconds:.3g} ms"


def pressure_text(result: QueueResult) -> str:
    """Return the I/O pressure, or why it is missing."""
    pressure = result.pressure
    if pressure is None:
        return f"Stalls on I/O (PSI): unknown: {result.pressure_missing}"
    text = f"Stalls on I/O (PSI): some tasks waited {_pressure_text(pressure.some)}"
    if pressure.full:
        text += f"; all runnable tasks {_pressure_text(pressure.full)}"
    return text + ", over all disks of this machine."


def _pressure_text(line: PressureLine) -> str:
    return f"{percent(line.avg10)} of the last 10 s, {percent(line.avg60)} of the last minute"
