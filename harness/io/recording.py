"""Recordings of disk measurements: a directory with a manifest, a document for each verb, logs.

`stallscope io` verbs and `stallscope report` share this: what a verb found is in its document, and
whatever is shown of a recording is read from there again.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cstates.fingerprint import Fingerprint
from harness.cli.outputs import write_whole
from harness.recordings import directory as recording_directory
from stallscope.json_fields import read_fields
from stallscope.recordings import MANIFEST

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
    recording_directory.make_directory(path, KIND, what="a disk", force=force, own_files=_own_files)


def _own_files(path: Path) -> Iterable[str]:
    """Return the files that a former recording has there, by its manifest; no others are ours."""
    told = read_fields(path / MANIFEST).objects("files")
    names = (each.text("name", "") for each in told)
    return (PAGE, *(name for name in names if name and "/" not in name and name != MANIFEST))


def write_manifest(
    run: IoRun,
    *,
    end: str | None,
    modelled: bool = False,
    warnings: Iterable[str] = (),
    settings: Fingerprint | None = None,
) -> None:
    """Write recording.json; unfinished without an end, which is "duration" or "signal"."""
    files = {run.document: f"stallscope.{run.group}.{run.verb}/1", **run.files}
    own = {
        "command": run.command,
        "target": {"kind": "command", "command": run.command},
        "source": {
            "event": "requests",
            "kind": "modelled" if modelled else "measured",
            "unit": "requests",
            "scope": "disk",
        },
        "files": [{"name": name, "format": form} for name, form in files.items()],
        "settings": settings and settings.document(),
        "warnings": [{"code": "disk", "message": text} for text in warnings],
        "end": {"reason": end or "", "target_status": None},
    }
    recording_directory.write_manifest(
        run.folder, KIND, begin_ns=run.begin_ns, ended=end is not None, own=own
    )


def write_document(run: IoRun, document: Mapping[str, object]) -> None:
    """Write the verb's document."""
    write_whole(run.folder / run.document, [json.dumps(document, allow_nan=False) + "\n"])


def is_io(directory: Path) -> bool:
    """Return whether a directory is a recording of a disk's measurement."""
    return recording_directory.is_recording_of(KIND, directory)
