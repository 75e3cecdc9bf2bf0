"""A run of `stallscope diagnose`: records, analyzes, writes the page and prints the findings."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.brief import document_text
from harness.cli.outputs import check_place, write_whole
from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from harness.cli.target_status import exit_code, explain
from harness.cli.terminal import colours, warn, width
from harness.diagnose.diagnosis import diagnosed_parts
from harness.diagnose.options import DiagnoseOptions
from harness.diagnose.pass_recorder import PassCost, record_pass
from harness.diagnose.result import DiagnoseResult
from harness.diagnose.text import lines
from harness.profile.recorder import interrupted_once
from harness.waits.page_place import page_path
from stallscope.errors import ExitCode
from stallscope.recordings import Recording, open_recording

if TYPE_CHECKING:
    from harness.diagnose.page.page import DiagnosePageContent


def run_diagnose(options: DiagnoseOptions) -> int:
    """Return the exit code after the findings of a target or a recording were printed."""
    if options.collector is None:
        assert options.recording is not None
        recording = open_recording(options.recording)
        check_place(options.page or page_path(recording))
        result = diagnose(recording, options.page, baseline=options.baseline, places=options.places)
        show(result, as_json=options.as_json)
        return int(ExitCode.DONE)
    with interrupted_once(options.collector):
        recording, end, cost = record_pass(options, sys.stderr if options.as_json else None)
        for text in cost.failures:
            warn(text)
        result = diagnose(recording, None, cost, baseline=options.baseline, places=options.places)
    show(result, as_json=options.as_json)
    assert recording.manifest is not None
    explain(recording.manifest, end)
    return exit_code(recording.manifest, end)


def diagnose(
    recording: Recording,
    page: Path | None = None,
    cost: PassCost | None = None,
    *,
    baseline: Path | None = None,
    places: SymbolPlaces = DEFAULT_PLACES,
) -> DiagnoseResult:
    """Return the diagnosis of a recording, after its page was written.

    ``cost``: of the recording, if it was just made. ``baseline``: a recording to compare with.
    ``places``: of debug files.
    """
    content = page_content(
        recording, page or page_path(recording), cost, baseline=baseline, places=places
    )
    from harness.diagnose.page.page import render_diagnose_page  # noqa: PLC0415 - heavy

    assert content.result.report is not None
    write_whole(Path(content.result.report), [render_diagnose_page(content)])
    return content.result


def page_content(
    recording: Recording,
    page: Path,
    cost: PassCost | None = None,
    *,
    baseline: Path | None = None,
    places: SymbolPlaces = DEFAULT_PLACES,
) -> "DiagnosePageContent":
    """Return the diagnosis of a recording with all that its page shows."""
    from harness.diagnose.page.content import content_of  # noqa: PLC0415 - heavy

    parts, result = diagnosed_parts(recording, page, cost, places)
    content = content_of(recording, parts, result)
    if baseline is None:
        return content
    from harness.diagnose.page.comparison import compare_with  # noqa: PLC0415 - rarely needed

    compared = compare_with(baseline, recording, parts.on_cpu, places)
    return replace(content, comparison=compared.panel, rules=compared.rules)


def show(result: DiagnoseResult, *, as_json: bool) -> None:
    """Print the findings, or the result as one line of JSON."""
    if as_json:
        click.echo(document_text(result))
        return
    for line in lines(result, width()):
        click.echo(line, color=colours())
