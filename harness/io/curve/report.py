"""What `stallscope report` shows of a response curve."""

from pathlib import Path

from harness.io.curve import panel as curve_panel
from harness.io.curve.shown import curve_shown
from harness.io.curve.text import lines
from harness.io.report import Reported
from harness.page import latency_panel
from harness.page.panels import Panel
from stallscope.json_fields import Fields

_STYLES = (
    (latency_panel.FOLDER, latency_panel.STYLES),
    (curve_panel.FOLDER, curve_panel.STYLES),
)


def reported(folder: Path, fields: Fields, room: int) -> Reported:  # noqa: ARG001 - as others have it
    """Return what is shown of a curve; RecordingError where its document is damaged."""
    shown = curve_shown(fields)
    return Reported(
        title=f"Response curve of {shown.path}",
        source=shown.source,
        panels=(Panel(curve_panel.curve_panel(shown), _STYLES),),
        lines=tuple(lines(shown, room)),
    )
