"""What `stallscope report` and the page show of a probe's recording."""

from pathlib import Path

from harness.io.probe.buckets import Scale
from harness.io.probe.options import LOGS, NAMES
from harness.io.probe.panel import probe_panel
from harness.io.probe.shown import probe_shown
from harness.io.probe.text import lines
from harness.report.disk import Reported
from stallscope.histograms import read_interval_log
from stallscope.json_fields import Fields


def reported(folder: Path, fields: Fields, room: int) -> Reported:
    """Return what is shown of a probe; RecordingError where a file of it is damaged."""
    shown = probe_shown(fields)
    logs = {
        NAMES[way]: read_interval_log(folder / name)
        for way, name in LOGS.items()
        if (folder / name).is_file()
    }
    return Reported(
        title=f"Probe of {shown.path}",
        source=shown.source,
        panels=[probe_panel(shown, logs)],
        lines=list(lines(shown, Scale.LOGARITHMIC, room)),
    )
