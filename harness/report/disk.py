"""`stallscope report` of disk measurements: text and page of every result in a recording."""

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import click
from msgspec import structs

from harness.cli.brief import document_text
from harness.cli.terminal import colours, printable, width
from harness.io.page import write_page
from harness.page.panels import Panel
from harness.recordings.results import RecordedResult
from harness.recordings.settings import recorded_settings
from harness.recordings.settings_text import settings_lines
from stallscope.documents import read_document
from stallscope.errors import UnableError
from stallscope.recordings import Recording

# The file of each verb's result, the verb's package, and the type in its `result.py`; in the order
# of the page.
RESULTS = {
    "probe.json": ("harness.io.probe", "ProbeResult"),
    "curve.json": ("harness.io.curve", "CurveResult"),
    "mix.json": ("harness.io.mix", "MixResult"),
    "queue.json": ("harness.io.queue", "QueueResult"),
    "watch.json": ("harness.io.watch", "WatchResult"),
    "storm.json": ("harness.labs.storm", "StormResult"),
}


@dataclass(frozen=True, slots=True)
class DiskSection:
    """One result of a recording with the functions of its verb that show it."""

    result: RecordedResult
    lines: Callable[[int], Iterator[str]]
    panels: Callable[[], Sequence[Panel]]


def report_disk(
    recording: Recording, *, output: Path | None, with_page: bool, as_json: bool
) -> None:
    """Write the page of a recording of disk measurements, and print its results."""
    sections = _sections(recording.path)
    if not sections:
        raise UnableError(
            f"{recording.path} holds no result: the measurement ended before it had one",
            "measure again",
        )
    settings = recorded_settings(recording.path)
    page = None
    if with_page:
        panels = [(section.result, section.panels()) for section in sections]
        page = write_page(recording.path, panels, output)
    if as_json:
        paths = {"recording": str(recording.path), "report": None if page is None else str(page)}
        for section in sections:
            result = structs.replace(section.result, settings=settings, **paths)
            click.echo(document_text(result, documents=len(sections)))
        return
    for section in sections:
        click.echo("\n".join(section.lines(width())), color=colours())
    if settings is not None:
        click.echo("\n".join(settings_lines(settings, width())), color=colours())
    click.echo(f"\nrecording  {printable(str(recording.path))}")
    if page is not None:
        click.echo(f"page       {printable(str(page))}")


def _sections(folder: Path) -> list[DiskSection]:
    return [
        _section(folder, name, package, kind)
        for name, (package, kind) in RESULTS.items()
        if (folder / name).is_file()
    ]


def _section(folder: Path, name: str, package: str, kind: str) -> DiskSection:
    result_type = getattr(importlib.import_module(f"{package}.result"), kind)
    text = importlib.import_module(f"{package}.text")
    panel = importlib.import_module(f"{package}.panel")
    result = read_document(folder / name, cast("type[RecordedResult]", result_type))
    return DiskSection(
        result, lambda width: text.lines(result, width), lambda: panel.panels(result)
    )
