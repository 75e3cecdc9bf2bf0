"""The path of the page of a recording of waits."""

from pathlib import Path

from stallscope.recordings import Recording


def page_path(recording: Recording) -> Path:
    """Return where the page of a recording is written; of a perf.data file, here."""
    if recording.manifest is None:
        return Path(f"{recording.name}.report.html")
    return recording.path / "report.html"
