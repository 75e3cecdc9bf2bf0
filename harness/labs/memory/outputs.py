"""Where the memory lab's results go: the terminal, standard output, files."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from harness.cli.outputs import write_whole
from harness.cli.terminal import colours, note, width
from harness.labs.memory.document import lab_document
from harness.labs.memory.experiment import LabResults
from harness.labs.memory.findings import Findings, conclude
from harness.labs.memory.text import lines
from harness.page.pictures import FORMATS
from stallscope.errors import UsageError
from stallscope.host import read_host

_PICTURES = tuple(f".{kind}" for kind in FORMATS)
_SUFFIXES = (*_PICTURES, ".json")


def check_outputs(paths: Sequence[Path]) -> None:
    """Raise UsageError for a file of a kind that cannot be written, before anything is measured."""
    for path in paths:
        if path.suffix.lower() not in _SUFFIXES:
            raise UsageError(f"-o {path}: its kind is not known", f"use {', '.join(_SUFFIXES)}")
        if not path.absolute().parent.is_dir():
            raise UsageError(f"-o {path}: there is no such directory", "make it first")


def show(results: LabResults, paths: Sequence[Path], *, as_json: bool) -> None:
    """Print the results, and write the files that were asked for."""
    findings = conclude(results)
    cpu_model = read_host().cpu_model
    document = json.dumps(lab_document(results, findings, cpu_model), allow_nan=False)
    if as_json:
        click.echo(document)
    else:
        for line in lines(results, findings, cpu_model, width()):
            click.echo(line, color=colours())
    for path in paths:
        is_picture = path.suffix.lower() in _PICTURES
        write_whole(path, [_picture(results, findings, path) if is_picture else document + "\n"])
        note(f"wrote {path}")


def _picture(results: LabResults, findings: Findings, path: Path) -> bytes:
    from harness.labs.memory.figure import picture  # noqa: PLC0415 - matplotlib is slow to load

    return picture(results, findings, read_host().cpu_model, path.suffix.lower().lstrip("."))
