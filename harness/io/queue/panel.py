"""The panel "Queue": mount and devices below a path, their settings with meanings, stalls."""

from collections.abc import Iterable, Iterator

from harness.cli.terminal import percent
from harness.io.queue.result import QueueResult
from harness.io.queue.stalls_text import cause_text, main_processes, stalls_notes, stalls_title
from harness.io.queue.text import (
    depth_text,
    device_text,
    equal_devices,
    interval_text,
    mount_text,
    pressure_text,
)
from harness.page.document import escaped
from harness.page.panels import Panel
from harness.page.tables import TABLE_STYLES, panel, row, table
from ioprobe.block_queue.settings import QueueSetting
from ioprobe.block_queue.stalls import ProcessStalls, QueueOccupancy
from stallscope.printable import visible_text
from stallscope.quantities import value_text

STYLES = (TABLE_STYLES, ("harness.io.queue", ("queue.css",)))
_MAX_DEVICES = 256
_SETTING_HEADS = ("Setting", "Value", "Meaning for queue depth")
_STALL_HEADS = ("Process", "Requests", "To workers", "Submitting calls", "Slept", "p50", "p99",
                "max", "Cause")  # fmt: skip


def panels(result: QueueResult) -> tuple[Panel, ...]:
    """Return the panel of a queue; every text of the result is escaped."""
    return (Panel(_markup(result), STYLES),)


def _markup(result: QueueResult) -> str:
    body = [f"<p><strong>{_text(depth_text(result))}</strong></p>"]
    if result.mount:
        body += [f"<h3>{_text(mount_text(result.mount))}</h3>", _settings(result.mount.settings)]
    for devices in equal_devices(result.devices[:_MAX_DEVICES]):
        for device in devices:
            body.append(f"<h3>{_text(device_text(device))}</h3>")
            if result.interval_s is not None:
                body.append(_paragraph(interval_text(device, result.interval_s)))
        body.append(_settings(devices[0].settings))
    if result.interval_s is not None:
        body += _stalls(result, result.interval_s)
    body.append(_paragraph(pressure_text(result)))
    hint = f"{_text(result.headline)}; {_text(result.source)}"
    if not result.complete:
        hint += ", interrupted"
    return panel("queue", "From the path to its disk", hint, "".join(body))


def _settings(settings: Iterable[QueueSetting]) -> str:
    rows = [_row((setting.label, setting.value, setting.meaning)) for setting in settings]
    return f'<div class="queue-words">{table(_SETTING_HEADS, rows)}</div>' if rows else ""


def _stalls(result: QueueResult, seconds: float) -> Iterator[str]:
    stalls = result.stalls
    if stalls is None:
        yield "<h3>Submission stalls</h3>"
        yield _paragraph(f"not measured: {result.stalls_missing}")
        return
    yield f"<h3>{_text(stalls_title(stalls, seconds).rstrip(':'))}</h3>"
    processes = main_processes(stalls)
    if processes:
        rows = (_row(_process_cells(process, stalls.occupancy)) for process in processes)
        yield f'<div class="queue-stalls">{table(_STALL_HEADS, rows)}</div>'
    for text in stalls_notes(stalls):
        yield _paragraph(text)


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


def _row(cells: Iterable[str]) -> str:
    return row([visible_text(cell, 400) for cell in cells])


def _paragraph(text: str) -> str:
    return f"<p>{_text(text)}</p>"


def _text(text: str) -> str:
    return escaped(visible_text(text, 2000))
