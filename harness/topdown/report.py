"""`stallscope report` of a recording of counters: its tree, and its page."""

import json
from pathlib import Path

import click

from harness.cli.outputs import write_whole
from harness.cli.terminal import colours, printable, width
from harness.recordings.host_facts import host_facts
from harness.recordings.settings import recorded_facts, recorded_settings
from harness.recordings.settings_text import settings_lines
from harness.topdown.document import document
from harness.topdown.page import render_slots_page
from harness.topdown.tree import View, lines
from stallscope.recordings import Recording
from topdown.slots.counting.analysis import measurement_of
from topdown.slots.counting.counting_run import read_counting_run
from topdown.slots.measurement import Measurement

# An interval of a page's picture: not below what the counters' turns allow, and not too many.
LEAST_INTERVAL_MS = 100
MOST_INTERVALS = 300


def report_counters(
    recording: Recording, *, output: Path | None, with_page: bool, as_json: bool
) -> None:
    """Write the page of a recording of counters, and print its tree."""
    manifest = recording.manifest
    assert manifest is not None
    measurement = measured(recording.path)
    page = None
    if with_page:
        page = output or recording.path / "report.html"
        write_whole(
            page,
            [
                render_slots_page(
                    measurement,
                    title=manifest.target.describe(),
                    recording_name=recording.name,
                    host={key: text for key, text in host_facts(manifest).items() if text}
                    | recorded_facts(recording.path),
                )
            ],
        )
    settings = recorded_settings(recording.path)
    if as_json:
        found = document(measurement, None)
        found["settings"] = settings and settings.document()
        found["recording"] = str(recording.path)
        found["report"] = None if page is None else str(page)
        click.echo(json.dumps(found, allow_nan=False))
        return
    for line in lines(measurement, View(None, width(), str(measurement.kind))):
        click.echo(line, color=colours())
    for line in settings_lines(settings, width()):
        click.echo(line, color=colours())
    click.echo(f"\nrecording  {printable(str(recording.path))}")
    if page is not None:
        click.echo(f"page       {printable(str(page))}")


def measured(directory: Path) -> Measurement:
    """Return what was counted, with intervals as a page draws them."""
    run = read_counting_run(directory)
    interval_ms = max(LEAST_INTERVAL_MS, round(run.windows.seconds * 1000 / MOST_INTERVALS))
    return measurement_of([run], interval_ms=interval_ms)
