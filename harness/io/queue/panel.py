"""The panel "Queue": mount and devices below a path, their settings with meanings, stalls."""

from collections.abc import Iterable, Iterator

from harness.cli.terminal import percent
from harness.io.queue.shown import QueueShown
from harness.io.queue.stalls import Watched, cause_text, stalls_head, stalls_notes, telling
from harness.io.queue.text import (
    alike,
    depth_text,
    device_text,
    mount_text,
    over_text,
    pressure_text,
)
from harness.page.document import escaped
from harness.page.panels import Panel
from harness.page.tables import TABLE_STYLES, panel, row, table
from ioprobe.block_queue.settings import QueueSetting
from ioprobe.block_queue.stalls import ProcessStalls, QueueOccupancy
from stallscope.printable import visible_text
from stallscope.quantities import value_text

_MOST_DEVICES = 256
_SETTING = ("Setting", "Value", "What it means for depth")
_STALLS = ("Process", "Requests", "To workers", "Submitting calls", "Slept", "p50", "p99", "max",
           "Cause")  # fmt: skip


def queue_panel(shown: QueueShown) -> Panel:
    """Return the panel; every text is taken for a stranger's."""
    body = [f"<p><strong>{_text(depth_text(shown))}</strong></p>"]
    if shown.mount:
        body += [f"<h3>{_text(mount_text(shown.mount))}</h3>", _settings(shown.mount.settings)]
    for devices in alike(shown.devices[:_MOST_DEVICES]):
        for device in devices:
            body.append(f"<h3>{_text(device_text(device))}</h3>")
            if shown.watched:
                body.append(_paragraph(over_text(device, shown.watched.interval)))
        body.append(_settings(devices[0].settings))
    if shown.watched:
        body += _stalls(shown.watched)
    body.append(_paragraph(pressure_text(shown)))
    hint = f"{_text(shown.title)}; {_text(shown.source)}"
    if shown.watched and shown.watched.interrupted:
        hint += ", interrupted"
    markup = panel("queue", "Between the path and its disk", hint, "".join(body))
    styles = [TABLE_STYLES, ("harness.io.queue", ("queue.css",))]
    return Panel(markup, styles)


def _settings(settings: Iterable[QueueSetting]) -> str:
    rows = [_row((each.label, each.value, each.meaning)) for each in settings]
    return f'<div class="queue-words">{table(_SETTING, rows)}</div>' if rows else ""


def _stalls(watched: Watched) -> Iterator[str]:
    stalls = watched.stalls
    if stalls is None:
        yield "<h3>Submission stalls</h3>"
        yield _paragraph(f"not told: {watched.stalls_missing}")
        return
    yield f"<h3>{_text(stalls_head(stalls, watched.interval.seconds).rstrip(':'))}</h3>"
    found = telling(stalls)
    if found:
        rows = (_row(_cells(each, stalls.occupancy)) for each in found)
        yield f'<div class="queue-stalls">{table(_STALLS, rows)}</div>'
    for text in stalls_notes(stalls):
        yield _paragraph(text)


def _cells(found: ProcessStalls, occupancy: QueueOccupancy) -> tuple[str, ...]:
    punts, slept = found.punt_share, found.blocked_share
    times = (found.submit_p50_ns, found.submit_p99_ns, found.submit_max_ns)
    return (
        f"{found.name} ({found.pid})",
        f"{found.requests:,}",
        "n/a" if punts is None else f"{found.punts:,} of {found.submitted:,} ({percent(punts)})",
        f"{found.calls:,}",
        "n/a" if slept is None else f"{found.blocked_calls:,} ({percent(slept)})",
        *("n/a" if each is None else value_text(each, "ns") for each in times),
        "nothing waited" if found.cause is None else cause_text(found.cause, occupancy),
    )


def _row(cells: Iterable[str]) -> str:
    return row([visible_text(cell, 400) for cell in cells], "")


def _paragraph(text: str) -> str:
    return f"<p>{_text(text)}</p>"


def _text(text: str) -> str:
    return escaped(visible_text(text, 2000))
