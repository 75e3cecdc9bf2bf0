"""A run of `stallscope waits`: records, analyzes, writes the page and prints the table."""

import sys

import click

from harness.cli.target_status import exit_code, explain
from harness.cli.terminal import colours, printable, width
from harness.profile.recorder import interrupted_once, record
from harness.waits.analysis import analyze_waits
from harness.waits.build import waits_result
from harness.waits.options import WaitsOptions
from harness.waits.result import WaitsResult
from harness.waits.text import lines
from stallscope.documents import encode


def run_waits(options: WaitsOptions) -> int:
    """Return the exit code after the target was recorded and its waits printed."""
    assert options.collector is not None
    with interrupted_once(options.collector):
        recording, end = record(options.collector, sys.stderr if options.as_json else None)
        result = waits_result(analyze_waits(recording), recording=recording.path, report=None)
    show(result, as_json=options.as_json)
    assert recording.manifest is not None
    explain(recording.manifest, end)
    return exit_code(recording.manifest, end)


def show(result: WaitsResult, *, as_json: bool) -> None:
    """Print the table, or the result as one line of JSON."""
    if as_json:
        click.echo(encode(result))
        return
    for line in lines(result, width()):
        click.echo(line, color=colours())
    click.echo()
    click.echo(f"recording     {printable(result.recording)}")
    if result.report is not None:
        click.echo(f"page          {printable(result.report)}")
