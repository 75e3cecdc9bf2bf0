"""A run of `stallscope waits --compare`: analyzes two recordings and prints the comparison."""

from pathlib import Path

import click

from harness.cli.brief import document_text
from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from harness.cli.terminal import colours, width
from harness.waits.analysis import analyze_waits
from harness.waits.build import waits_result
from harness.waits.compare.result import compare
from harness.waits.compare.text import lines
from stallscope.errors import ExitCode
from stallscope.recordings import open_recording


def run_comparison(
    paths: tuple[Path, Path], *, as_json: bool, places: SymbolPlaces = DEFAULT_PLACES
) -> int:
    """Return the exit code after two recordings were compared; their pages stay as they are."""
    before, after = (
        waits_result(analyze_waits(open_recording(path), places), recording=path, report=None)
        for path in paths
    )
    comparison = compare(before, after)
    if as_json:
        click.echo(document_text(comparison))
    else:
        for line in lines(comparison, width()):
            click.echo(line, color=colours())
    return int(ExitCode.DONE)
