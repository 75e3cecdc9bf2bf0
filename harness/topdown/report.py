"""`stallscope report` of a recording of counters: its tree and its page."""

from pathlib import Path

import click
from msgspec import structs

from harness.cli.brief import document_text
from harness.cli.outputs import write_whole
from harness.cli.terminal import colours, printable, width
from harness.recordings.host_facts import host_facts
from harness.recordings.settings import recorded_facts, recorded_settings
from harness.recordings.settings_text import settings_lines
from harness.topdown.page import render_slots_page
from harness.topdown.result import TopdownResult, topdown_result
from harness.topdown.text import TreeView, lines
from stallscope.recordings import Recording
from topdown.slots.counting.analysis import measurement_of
from topdown.slots.counting.counting_run import read_counting_run
from topdown.slots.measurement import Measurement

# Intervals of the page: long enough for multiplexed counters, and not too many.
MIN_INTERVAL_MS = 100
MAX_INTERVALS = 300


def report_counters(
    recording: Recording, *, output: Path | None, with_page: bool, as_json: bool
) -> None:
    """Write the page of a recording of counters, and print its tree."""
    result = topdown_result(recorded_measurement(recording.path))
    page = _write_page(recording, result, output) if with_page else None
    settings = recorded_settings(recording.path)
    if as_json:
        report = None if page is None else str(page)
        paths = {"recording": str(recording.path), "report": report}
        click.echo(document_text(structs.replace(result, settings=settings, **paths)))
        return
    for line in lines(result, TreeView(None, width(), result.kind)):
        click.echo(line, color=colours())
    for line in settings_lines(settings, width()):
        click.echo(line, color=colours())
    click.echo(f"\nrecording  {printable(str(recording.path))}")
    if page is not None:
        click.echo(f"page       {printable(str(page))}")


def _write_page(recording: Recording, result: TopdownResult, output: Path | None) -> Path:
    manifest = recording.manifest
    assert manifest is not None
    page = output or recording.path / "report.html"
    facts = {label: text for label, text in host_facts(manifest).items() if text}
    text = render_slots_page(
        result,
        title=manifest.target.describe(),
        recording_name=recording.name,
        host=facts | recorded_facts(recording.path),
    )
    write_whole(page, [text])
    return page


def recorded_measurement(directory: Path) -> Measurement:
    """Return the measurement in a recording, with intervals for its page."""
    run = read_counting_run(directory)
    interval_ms = max(MIN_INTERVAL_MS, round(run.windows.seconds * 1000 / MAX_INTERVALS))
    return measurement_of([run], interval_ms=interval_ms)
