"""A run of `stallscope requests`: records, analyzes, writes the page and prints the tables."""

import sys
from pathlib import Path

import click

from harness.cli.brief import document_text
from harness.cli.outputs import check_place
from harness.cli.target_status import exit_code, explain
from harness.cli.terminal import colours, printable, warn, width
from harness.profile.recorder import interrupted_once, record
from harness.requests.build import requests_result
from harness.requests.options import RequestsOptions
from harness.requests.result import RequestsResult
from harness.requests.text import lines, note_lines
from harness.requests.trace_marker import trace_marker
from harness.waits.analysis import analyze_waits
from harness.waits.page_place import page_path
from stallscope.collector import CollectionEnd
from stallscope.errors import RecordingError
from stallscope.recordings import Recording, open_recording
from topdown.requests.marks import read_marks

REMEDY = (
    "mark requests in the program: compile it with stallscope_request.h (its path: "
    "stallscope requests --header)"
)


def run_requests(options: RequestsOptions) -> int:
    """Return the exit code after the target was recorded, or a recording read, and printed."""
    if options.recording is not None:
        recording = open_recording(options.recording)
        check_place(options.page or page_path(recording))
        show(result_with_page(recording, output=options.page), as_json=options.as_json)
        return 0
    assert options.collector is not None
    with interrupted_once(options.collector):
        recording, end = _record(options)
        result = result_with_page(recording)
    show(result, as_json=options.as_json)
    assert recording.manifest is not None
    explain(recording.manifest, end)
    return exit_code(recording.manifest, end)


def _record(options: RequestsOptions) -> tuple[Recording, CollectionEnd]:
    """Return the closed recording, with the marks of trace_marker if they are requested."""
    assert options.collector is not None
    output = sys.stderr if options.as_json else None
    if not options.trace_marker:
        return record(options.collector, output)
    with trace_marker() as marks:
        recording, end = record(options.collector, output)
    marks.keep(recording.path)
    if marks.losses:
        warn(f"the kernel lost marks of trace_marker {marks.losses:,} times")
    return recording, end


def result_with_page(
    recording: Recording, *, output: Path | None = None, with_page: bool = True
) -> RequestsResult:
    """Return the document of a recording after its page was written.

    Raises RecordingError without marks of requests.
    """
    from harness.requests.page import write_requests_page  # noqa: PLC0415 - not without a page

    marks = read_marks(recording.path)
    if marks is None or not len(marks):
        raise RecordingError(f"{recording.path} has no marks of requests", REMEDY)
    analysis = analyze_waits(recording)
    report = (output or page_path(recording)) if with_page else None
    result = requests_result(analysis, marks, recording=recording.path, report=report)
    if report is not None:
        write_requests_page(result, analysis, recording, report)
    return result


def show(result: RequestsResult, *, as_json: bool) -> None:
    """Print the tables, or the result as one line of JSON."""
    if as_json:
        click.echo(document_text(result))
        return
    columns = width()
    for line in lines(result, columns):
        click.echo(line, color=colours())
    click.echo()
    for line in note_lines(result, columns):
        click.echo(line, color=colours())
    click.echo(f"recording     {printable(result.recording)}")
    if result.report is not None:
        click.echo(f"page          {printable(result.report)}")
