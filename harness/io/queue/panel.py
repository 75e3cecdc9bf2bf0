"""The panel "Queue": mount and devices below a path, their settings with meanings, stalls."""

from collections.abc import Iterable

from harness.cli.terminal import percent
from harness.io.queue.result import DeviceDescription, QueueResult
from harness.io.queue.stalls_text import cause_text, main_processes, stalls_notes, stalls_title
from harness.io.queue.text import (
    depth_text,
    device_text,
    equal_devices,
    implied_text,
    interval_text,
    mount_text,
    pressure_text,
)
from harness.page.document import fragment
from harness.page.panels import TABLE_STYLE, Panel, StyleSheets
from ioprobe.block_queue.settings import QueueSetting
from ioprobe.block_queue.stalls import ProcessStalls, QueueOccupancy
from stallscope.quantities import value_text

_STYLE: StyleSheets = ("harness.io.queue", ("queue.css",))
_MAX_DEVICES = 256
_SETTING_HEADS = ("Setting", "Value", "Meaning for queue depth")
_STALL_HEADS = ("Process", "Requests", "To workers", "Submitting calls", "Slept", "p50", "p99",
                "max", "Cause")  # fmt: skip


def panels(result: QueueResult) -> tuple[Panel, ...]:
    """Return the panel of a queue."""
    mount = result.mount
    markup = fragment(
        "harness.io.queue/panel.html",
        hint=f"{result.headline}; {result.source_text}",
        depth=depth_text(result),
        mount=mount and {"title": mount_text(mount), "rows": _setting_rows(mount.settings)},
        devices=[
            {
                "devices": [_device_values(device, result.interval_s) for device in devices],
                "rows": _setting_rows(devices[0].settings),
            }
            for devices in equal_devices(result.devices[:_MAX_DEVICES])
        ],
        stalls=None if result.interval_s is None else _stalls(result, result.interval_s),
        pressure=pressure_text(result),
        setting_heads=_SETTING_HEADS,
        stall_heads=_STALL_HEADS,
    )
    return (Panel(markup, (TABLE_STYLE, _STYLE)),)


def _setting_rows(settings: Iterable[QueueSetting]) -> list[tuple[str, str, str]]:
    return [(setting.label, setting.value, setting.meaning) for setting in settings]


def _device_values(device: DeviceDescription, interval_s: float | None) -> dict[str, object]:
    texts = [] if interval_s is None else [interval_text(device, interval_s)]
    texts += map(implied_text, device.implied_throughput)
    return {"title": device_text(device), "texts": texts}


def _stalls(result: QueueResult, seconds: float) -> dict[str, object]:
    stalls = result.stalls
    if stalls is None:
        reason = f"not measured: {result.stalls_missing}"
        return {"title": "Submission stalls", "rows": [], "texts": [reason]}
    return {
        "title": stalls_title(stalls, seconds).rstrip(":"),
        "rows": [_process_cells(process, stalls.occupancy) for process in main_processes(stalls)],
        "texts": list(stalls_notes(stalls)),
    }


def _process_cells(process: ProcessStalls, occupancy: QueueOccupancy) -> tuple[str, ...]:
    punts, slept = process.punt_share, process.blocked_share
    times_ns = (process.submit_p50_ns, process.submit_p99_ns, process.submit_max_ns)
    return (
        f"{process.name} ({process.pid})",
        f"{process.requests:,}",
        "n/a"
        if punts is None
        else f"{process.punts:,} of {process.submitted:,} ({percent(punts)})",
        f"{process.calls:,}",
        "n/a" if slept is None else f"{process.blocked_calls:,} ({percent(slept)})",
        *("n/a" if time_ns is None else value_text(time_ns, "ns") for time_ns in times_ns),
        "no waits" if process.cause is None else cause_text(process.cause, occupancy),
    )
