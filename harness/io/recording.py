"""Recordings of disk measurements: a directory with a manifest, a document for each verb, logs.

`stallscope io` verbs and `stallscope report` share this: what a verb found is in its document, and
whatever is shown of a recording is read from there again.
"""

import json
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from harness.load.recording import host_document
from harness.outputs import write_whole
from stallscope.errors import UsageError
from stallscope.host import read_host
from stallscope.json_fields import read_fields
from stallscope.recordings import FORMAT, MANIFEST

KIND = "io"
PAGE = "report.html"


@dataclass(frozen=True, slots=True)
class IoRun:
    """A measurement that is recorded: its verb, what it is of, and its files with their forms."""

    folder: Path
    verb: str  # "probe"
    path: str  # what was measured, as it was named
    begin_ns: int  # of CLOCK_MONOTONIC
    files: Mapping[str, str] = field(default_factory=dict)
    group: str = "io"  # "lab" for an experiment

    @property
    def command(self) -> list[str]:
        """Return the command that made it."""
        return ["stallscope", self.group, self.verb, self.path]

    @property
    def document(self) -> str:
        """Return the name of the verb's document."""
        return f"{self.verb}.json"


def make_directory(path: Path, *, force: bool) -> None:
    """Make a recording's directory; what is there is replaced only with force.

    Raises UsageError where something else than a recording of a disk is there.
    """
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        if not force:
            raise UsageError(
                f"{path} is there already", "name another directory with -o, or add --force"
            ) from None
        if not is_io(path):
            raise UsageError(
                f"{path} is no recording of a disk, and is not replaced", "name another directory"
            ) from None
        for name in _own_files(path):
            _remove(path / name)
    except OSError as error:
        raise UsageError(f"cannot make {path}: {error.strerror}", "name another with -o") from error


def _remove(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except (OSError, ValueError) as error:  # a directory; a name that is none
        raise UsageError(
            f"cannot replace {file}, which the recording there names as a file of its own: {error}",
            "name another directory with -o",
        ) from error


def _own_files(path: Path) -> Iterable[str]:
    """Return the files that a former recording has there, by its manifest; no others are ours."""
    told = read_fields(path / MANIFEST).objects("files")
    names = (each.text("name", "") for each in told)
    return (PAGE, *(name for name in names if name and "/" not in name and name != MANIFEST))


def forget_unbegun(path: Path) -> None:
    """Remove a recording that holds nothing but its manifest: nothing was measured."""
    with suppress(OSError):
        if [entry.name for entry in path.iterdir()] == [MANIFEST]:
            (path / MANIFEST).unlink()
            path.rmdir()


def write_manifest(
    run: IoRun, *, end: str | None, modelled: bool = False, warnings: Iterable[str] = ()
) -> None:
    """Write recording.json; unfinished without an end, which is "duration" or "signal"."""
    now_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    files = {run.document: f"stallscope.{run.group}.{run.verb}/1", **run.files}
    document = {
        "schema": f"{FORMAT}/1.0",
        "kind": KIND,
        "complete": end is not None,
        "host": host_document(read_host()),
        "command": run.command,
        "target": {"kind": "command", "command": run.command},
        "source": {
            "event": "requests",
            "kind": "modelled" if modelled else "measured",
            "unit": "requests",
            "scope": "disk",
        },
        "clocks": {
            "samples": "CLOCK_MONOTONIC",
            "start_monotonic_ns": run.begin_ns,
            "start_realtime_ns": time.time_ns() - (now_ns - run.begin_ns),
            "end_monotonic_ns": None if end is None else now_ns,
        },
        "files": [{"name": name, "format": form} for name, form in files.items()],
        "warnings": [{"code": "disk", "message": text} for text in warnings],
        "end": {"reason": end or "", "target_status": None},
    }
    write_whole(run.folder / MANIFEST, [json.dumps(document, indent=1) + "\n"])


def write_document(run: IoRun, document: Mapping[str, object]) -> None:
    """Write the verb's document."""
    write_whole(run.folder / run.document, [json.dumps(document, allow_nan=False) + "\n"])


def is_io(directory: Path) -> bool:
    """Return whether a directory is a recording of a disk's measurement."""
    manifest = directory / MANIFEST
    return manifest.is_file() and read_fields(manifest).values.get("kind") == KIND
