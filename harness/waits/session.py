"""A run of `stallscope waits`: records, analyzes, writes the page and prints the table."""

import sys
from pathlib import Path

import click

from harness.cli.brief import document_text
from harness.cli.outputs import check_place
from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from harness.cli.target_status import exit_code, explain
from harness.cli.terminal import colours, printable, width
from harness.profile.period import Period
from harness.profile.recorder import interrupted_once, record
from harness.waits.analysis import WaitAnalysis, analyze_waits
from harness.waits.build import waits_result
from harness.waits.locks_report import wait_lines
from harness.waits.neighbours import keep_neighbours
from harness.waits.options import WaitsOptions
from harness.waits.page_place import page_path
from harness.waits.period import analysis_within
from harness.waits.result import WaitsResult
from harness.waits.text import lines, source_lines
from stallscope.errors import ExitCode
from stallscope.recordings import Recording, open_recording
from topdown.waits.run_queue import run_queue_users


def run_waits(options: WaitsOptions) -> int:
    """Return the exit code after the waits of a target or a recording were printed."""
    if options.recording is not None:
        recording = open_recording(options.recording)
        if options.with_page:
            check_place(options.page or page_path(recording))
        result = result_with_page(
            recording,
            output=options.page,
            with_page=options.with_page,
            period=options.period,
            places=options.places,
        )
        show(result, as_json=options.as_json, graph=options.graph)
        return int(ExitCode.DONE)
    assert options.collector is not None
    with interrupted_once(options.collector):
        recording, end = record(options.collector, sys.stderr if options.as_json else None)
        analysis = analyze_waits(recording, options.places)
        users = run_queue_users(analysis.records, analysis.kinds.intervals)
        keep_neighbours(recording.path, [user.pid for user in users if user.pid is not None])
        result = result_of_analysis(analysis, recording)
    show(result, as_json=options.as_json, graph=options.graph)
    assert recording.manifest is not None
    explain(recording.manifest, end)
    return exit_code(recording.manifest, end)


def result_with_page(
    recording: Recording,
    *,
    output: Path | None = None,
    with_page: bool = True,
    period: Period | None = None,
    places: SymbolPlaces = DEFAULT_PLACES,
) -> WaitsResult:
    """Return the document of a recording, or of a period of it, after its page was written."""
    analysis = analyze_waits(recording, places)
    if period is not None:
        analysis = analysis_within(analysis, period)
    return result_of_analysis(analysis, recording, output, with_page=with_page)


def result_of_analysis(
    analysis: WaitAnalysis,
    recording: Recording,
    output: Path | None = None,
    *,
    with_page: bool = True,
) -> WaitsResult:
    """Return the document of an analysis, after its page was written."""
    from harness.waits.binned import binned_values  # noqa: PLC0415 - not without a page
    from harness.waits.page import write_waits_page  # noqa: PLC0415

    report = (output or page_path(recording)) if with_page else None
    result = waits_result(analysis, recording=recording.path, report=report)
    if with_page:
        write_waits_page(result, recording, report, binned_values(analysis, recording.path))
    return result


def show(result: WaitsResult, *, as_json: bool, graph: bool = False) -> None:
    """Print the table, or the result as one line of JSON; ``graph``: all causes with chains."""
    if as_json:
        click.echo(document_text(result))
        return
    columns = width()
    parts = (
        lines(result, columns),
        wait_lines(result, columns, graph=graph),
        source_lines(result, columns),
    )
    for part in parts:
        for line in part:
            click.echo(line, color=colours())
        click.echo()
    click.echo(f"recording     {printable(result.recording)}")
    if result.report is not None:
        click.echo(f"page          {printable(result.report)}")
