"""What `stallscope report` shows of what stands between a path and its disk."""

from pathlib import Path

from harness.io.queue.panel import queue_panel
from harness.io.queue.shown import queue_shown
from harness.io.queue.text import lines
from harness.report.disk import Reported
from stallscope.json_fields import Fields


def reported(folder: Path, fields: Fields, room: int) -> Reported:  # noqa: ARG001 - as others have it
    """Return what is shown of a queue; RecordingError where its document is damaged."""
    shown = queue_shown(fields)
    return Reported(
        title=f"Queue of {shown.path}",
        source=shown.source,
        panels=(queue_panel(shown),),
        lines=tuple(lines(shown, room)),
    )
