"""`stallscope report` of a load: its page and its result."""

from pathlib import Path

from harness.load.panel import write_page
from harness.load.recording import read_load
from harness.load.session import show_result
from stallscope.recordings import Recording


def report_load(
    recording: Recording, *, output: Path | None, with_page: bool, as_json: bool
) -> None:
    """Write the page of the recording of a load, and print its result."""
    load = read_load(recording.path)
    page = write_page(recording.path, output) if with_page else None
    show_result(load.result, load.settings, recording.path, page, as_json=as_json)
