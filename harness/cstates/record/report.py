"""`stallscope report` of a recording of idle intervals: its page and its summary."""

import json
from pathlib import Path

import click

from cstates.idle.run import IdleRun, idle_run
from harness.cli.outputs import write_whole
from harness.cli.terminal import printable, width
from harness.cstates.page import render_cstates_page
from harness.cstates.record.files import DOCUMENT, PAGE
from harness.cstates.record.panel import idle_panel
from harness.cstates.record.text import lines
from harness.cstates.record.what_if import what_if_panel
from harness.recordings.host_facts import host_facts
from stallscope.errors import UnableError
from stallscope.json_fields import Fields, read_fields
from stallscope.recordings import MANIFEST, Recording, read_manifest


def read_run(folder: Path) -> tuple[Fields, IdleRun]:
    """Return what a recording's document says, as it stands and checked.

    Raises UnableError where it was ended before it had a document.
    """
    if not (folder / DOCUMENT).is_file():
        raise UnableError(
            f"{folder} holds no {DOCUMENT}: it is no finished recording of idle intervals",
            "make one: stallscope cstates record -o DIR --duration 10",
        )
    fields = read_fields(folder / DOCUMENT)
    return fields, idle_run(fields)


def report_idle(
    recording: Recording, *, output: Path | None, with_page: bool, as_json: bool
) -> None:
    """Write the page of a recording of idle intervals, and print its summary."""
    fields, run = read_run(recording.path)
    page = output or recording.path / PAGE
    if with_page:
        write_idle_page(page, recording.path, run)
    if as_json:
        places = {"recording": str(recording.path), "report": str(page) if with_page else None}
        click.echo(json.dumps(dict(fields.values) | places, allow_nan=False))
        return
    click.echo("\n".join(lines(run, width())))
    click.echo(f"\nrecording  {printable(str(recording.path))}")
    if with_page:
        click.echo(f"page       {printable(str(page))}")


def write_idle_page(path: Path, folder: Path, run: IdleRun) -> None:
    """Write the page of a recording."""
    manifest = read_manifest(folder / MANIFEST)
    facts = {label: text for label, text in host_facts(manifest).items() if text}
    source = "measured" if run.why_counters_only is None else "measured, counters only"
    write_whole(
        path,
        [
            render_cstates_page(
                idle_panel(run) + what_if_panel(folder, run),
                title=folder.resolve().name,
                source=source,
                host=facts,
            )
        ],
    )
