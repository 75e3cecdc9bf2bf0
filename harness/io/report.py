"""`stallscope report` of disk measurements: one page and text of all documents in a recording."""

import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import click

from cstates.fingerprint import Fingerprint
from harness.cli.outputs import write_whole
from harness.cli.terminal import colours, printable, width
from harness.io.page import render_io_page
from harness.io.recording import PAGE
from harness.page.panels import Panel
from harness.profile.analysis import host_facts
from harness.recordings.settings import recorded_facts, recorded_settings
from harness.recordings.settings_text import settings_lines
from stallscope.errors import UnableError
from stallscope.json_fields import Fields, read_fields
from stallscope.recordings import MANIFEST, Recording, read_manifest


@dataclass(frozen=True, slots=True)
class Reported:
    """What is shown of one document."""

    title: str
    source: str  # "measured" or "modelled"
    panels: Sequence[Panel]
    lines: Sequence[str]


class Reporter(Protocol):
    """A module that shows one verb's document."""

    def reported(self, folder: Path, fields: Fields, room: int) -> Reported:
        """Return what is shown of a document; RecordingError where it is damaged."""


# A verb's document, and the module whose ``reported`` shows it; others are added here.
REPORTERS = {
    "probe.json": "harness.io.probe.report",
    "curve.json": "harness.io.curve.report",
    "mix.json": "harness.io.mix.report",
    "queue.json": "harness.io.queue.report",
    "watch.json": "harness.io.watch.report",
    "storm.json": "harness.labs.storm.report",
}


def documents(folder: Path) -> list[tuple[Fields, Reporter]]:
    """Return the documents of a recording with who shows them; UnableError without any."""
    there = [name for name in REPORTERS if (folder / name).is_file()]
    if not there:
        raise UnableError(
            f"{folder} holds no document: what was measured was ended before it had a result",
            "measure again",
        )
    return [
        (read_fields(folder / name), cast("Reporter", importlib.import_module(REPORTERS[name])))
        for name in there
    ]


def write_io_page(folder: Path, output: Path | None = None) -> Path:
    """Return the path of a recording's page, written whole; the default is in the recording."""
    shown = [by.reported(folder, fields, 100) for fields, by in documents(folder)]
    manifest = read_manifest(folder / MANIFEST)
    page = output or folder / PAGE
    text = render_io_page(
        [panel for each in shown for panel in each.panels],
        title="; ".join(each.title for each in shown),
        recording_name=folder.resolve().name,
        source=", ".join(dict.fromkeys(each.source for each in shown)),
        facts={label: text for label, text in host_facts(manifest).items() if text}
        | recorded_facts(folder),
    )
    write_whole(page, [text])
    return page


def with_settings(
    document: Mapping[str, object], settings: Fingerprint | None
) -> dict[str, object]:
    """Return a document with what the machine was set to, as it is printed."""
    return {**document, "settings": settings and settings.document()}


def report_io(recording: Recording, *, output: Path | None, with_page: bool, as_json: bool) -> None:
    """Write the page of a recording of a disk, and print what it holds."""
    found = documents(recording.path)
    settings = recorded_settings(recording.path)
    page = write_io_page(recording.path, output) if with_page else None
    if as_json:
        places = {"recording": str(recording.path), "report": str(page) if page else None}
        for fields, _ in found:
            told = with_settings(fields.values, settings)
            click.echo(json.dumps(told | places, allow_nan=False))
        return
    for fields, reporter in found:
        shown = reporter.reported(recording.path, fields, width())
        click.echo("\n".join(shown.lines), color=colours())
    if settings is not None:
        click.echo("\n".join(settings_lines(settings, width())), color=colours())
    click.echo(f"\nrecording  {printable(str(recording.path))}")
    if page is not None:
        click.echo(f"page       {printable(str(page))}")
