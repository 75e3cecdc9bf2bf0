"""`stallscope report` of disk measurements: text and page of every result in a recording."""

import importlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import click
from msgspec import structs

from harness.cli.terminal import colours, printable, width
from harness.io.page import write_page
from harness.page.panels import Panel
from harness.recordings.results import RecordedResult
from harness.recordings.settings import recorded_settings
from harness.recordings.settings_text import settings_lines
from stallscope.documents import encode, read_document
from stallscope.errors import UnableError
from stallscope.json_fields import read_fields
from stallscope.recordings import Recording

# The file of each verb's result, the verb's package, and the type in its `result.py`.
RESULTS = {
    "curve.json": ("harness.io.curve", "CurveResult"),
    "storm.json": ("harness.labs.storm", "StormResult"),
}
# Verbs whose result is not typed yet: `report.py` of the package shows the document.
UNTYPED = {
    "probe.json": "harness.io.probe.report",
    "mix.json": "harness.io.mix.report",
    "queue.json": "harness.io.queue.report",
    "watch.json": "harness.io.watch.report",
}


@dataclass(frozen=True, slots=True)
class Section:
    """One result of a recording with the functions of its verb that show it."""

    result: RecordedResult
    lines: Callable[[int], Iterator[str]]
    panels: Callable[[], Sequence[Panel]]


@dataclass(frozen=True, slots=True)
class Reported:
    """What is shown of an untyped document."""

    title: str
    source: str
    panels: Sequence[Panel]
    lines: Sequence[str]


def report_disk(
    recording: Recording, *, output: Path | None, with_page: bool, as_json: bool
) -> None:
    """Write the page of a recording of disk measurements, and print its results."""
    sections = _sections(recording.path)
    untyped = _untyped(recording.path, width())
    if not sections and not untyped:
        raise UnableError(
            f"{recording.path} holds no result: the measurement ended before it had one",
            "measure again",
        )
    settings = recorded_settings(recording.path)
    page = write_recorded_page(recording.path, output) if with_page else None
    paths = {"recording": str(recording.path), "report": None if page is None else str(page)}
    if as_json:
        for _, section in sections:
            click.echo(encode(structs.replace(section.result, settings=settings, **paths)))
        for name, _ in untyped:
            values = read_fields(recording.path / name).values
            described = settings and settings.document()
            click.echo(json.dumps({**values, "settings": described, **paths}, allow_nan=False))
        return
    for _, section in sections:
        click.echo("\n".join(section.lines(width())), color=colours())
    for _, reported in untyped:
        click.echo("\n".join(reported.lines), color=colours())
    if settings is not None:
        click.echo("\n".join(settings_lines(settings, width())), color=colours())
    click.echo(f"\nrecording  {printable(str(recording.path))}")
    if page is not None:
        click.echo(f"page       {printable(str(page))}")


def write_recorded_page(folder: Path, output: Path | None = None) -> Path:
    """Return the path of the page of a recording, which is written as a whole."""
    by_file: dict[str, tuple[Any, Sequence[Panel]]] = {
        name: (section.result, section.panels()) for name, section in _sections(folder)
    }
    by_file |= {name: (reported, reported.panels) for name, reported in _untyped(folder, 100)}
    order = ("probe.json", "curve.json", "mix.json", "queue.json", "watch.json", "storm.json")
    return write_page(folder, [by_file[name] for name in order if name in by_file], output)


def _sections(folder: Path) -> list[tuple[str, Section]]:
    return [
        (name, _section(folder, name, package, kind))
        for name, (package, kind) in RESULTS.items()
        if (folder / name).is_file()
    ]


def _section(folder: Path, name: str, package: str, kind: str) -> Section:
    result_type = getattr(importlib.import_module(f"{package}.result"), kind)
    text = importlib.import_module(f"{package}.text")
    panel = importlib.import_module(f"{package}.panel")
    result = read_document(folder / name, cast("type[RecordedResult]", result_type))
    return Section(result, lambda room: text.lines(result, room), lambda: panel.panels(result))


def _untyped(folder: Path, room: int) -> list[tuple[str, Reported]]:
    return [
        (name, importlib.import_module(module).reported(folder, read_fields(folder / name), room))
        for name, module in UNTYPED.items()
        if (folder / name).is_file()
    ]
