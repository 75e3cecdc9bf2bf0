"""What is shown of a watch's recording, and the interval log that it holds."""

import time
from collections.abc import Iterator
from pathlib import Path

from harness.io.watch.panel import watch_panels
from harness.io.watch.shown import watch_shown
from harness.io.watch.text import lines
from harness.report.disk import Reported
from ioprobe.watch.tally import OPERATIONS
from ioprobe.watch.tracing import WatchMeasurement
from stallscope.histogram_encoding import TaggedHistogram, interval_log
from stallscope.json_fields import Fields

LOG = "latency.hlog"
LOG_FORM = "HdrHistogram V2 interval log, ns; a line each device, direction and time"


def reported(folder: Path, fields: Fields, room: int) -> Reported:
    """Return what is shown of a document; RecordingError where it is damaged."""
    del folder
    shown = watch_shown(fields)
    return Reported(
        title=f"Block requests of {', '.join(shown.devices) or 'no device'}",
        source="measured, by the kernel's tracepoints",
        panels=watch_panels(shown),
        lines=list(lines(shown, room)),
    )


def log_lines(watched: WatchMeasurement, names: dict[int, str]) -> Iterator[str]:
    """Return the interval log: a histogram each device, direction and time."""
    whole = [
        TaggedHistogram(
            f"{names.get(device, device)}.{OPERATIONS[operation]}.{what}",
            0.0,
            watched.seconds,
            counts.histogram(),
        )
        for (device, operation), row in sorted(watched.tally.devices.items())
        for what, counts in (("queue", row.queue), ("device", row.device), ("total", row.total))
        if counts.count
    ]
    return interval_log(time.time() - watched.seconds, whole)
