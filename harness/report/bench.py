"""`stallscope report` of benchmark runs: their page and their result."""

from pathlib import Path

from harness.bench.run.recording import read_result, write_page
from harness.bench.run.session import show_result
from harness.recordings.settings import recorded_settings
from stallscope.recordings import Recording


def report_bench(
    recording: Recording, *, output: Path | None, with_page: bool, as_json: bool
) -> None:
    """Write the page of a recording of benchmark runs, and print its result."""
    result = read_result(recording.path)
    settings = recorded_settings(recording.path)
    page = write_page(recording.path, result, settings, output) if with_page else None
    show_result(result, settings, recording.path, page, as_json=as_json)
