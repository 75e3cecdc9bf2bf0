"""What `stallscope report` shows of a storm."""

from pathlib import Path

from harness.labs.storm.panel import STYLES, storm_panel
from harness.labs.storm.shown import storm_shown
from harness.labs.storm.text import lines
from harness.page.panels import Panel
from harness.report.disk import Reported
from stallscope.json_fields import Fields


def reported(folder: Path, fields: Fields, room: int) -> Reported:  # noqa: ARG001 - as others have it
    """Return what is shown of a storm; RecordingError where its document is damaged."""
    shown = storm_shown(fields)
    return Reported(
        title=f"A reader beside a storm of writes on {shown.path}",
        source=shown.source,
        panels=(Panel(storm_panel(shown), STYLES),),
        lines=tuple(lines(shown, room)),
    )
