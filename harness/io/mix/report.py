"""What `stallscope report` shows of a read/write matrix."""

from pathlib import Path

from harness.io.mix import panel as mix_panel
from harness.io.mix.shown import mix_shown
from harness.io.mix.text import lines
from harness.page import latency_panel
from harness.page.panels import Panel
from harness.report.disk import Reported
from stallscope.json_fields import Fields

_STYLES = ((latency_panel.FOLDER, latency_panel.STYLES), (mix_panel.FOLDER, mix_panel.STYLES))


def reported(folder: Path, fields: Fields, room: int) -> Reported:  # noqa: ARG001 - as others have it
    """Return what is shown of a matrix; RecordingError where its document is damaged."""
    shown = mix_shown(fields)
    return Reported(
        title=f"Reads and writes together on {shown.path}",
        source=shown.source,
        panels=(Panel(mix_panel.mix_panel(shown), _STYLES),),
        lines=tuple(lines(shown, room)),
    )
