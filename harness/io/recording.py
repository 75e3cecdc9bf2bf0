"""Recordings of disk measurements: a directory with a manifest, a result and logs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cstates.fingerprint import Fingerprint
from harness.recordings import directory as recording_directory
from harness.recordings.manifest import IoManifest
from stallscope.documents import Record, read_document
from stallscope.recordings import (
    MANIFEST,
    Notice,
    RecordedEnd,
    RecordedEvent,
    RecordedFile,
    Target,
)

KIND = "io"
PAGE = "report.html"


@dataclass(frozen=True, slots=True)
class IoRecording:
    """A recording: its verb, the measured path, and the format of each file by its name."""

    folder: Path
    verb: str  # "probe"
    path: str  # as on the command line
    begin_ns: int  # CLOCK_MONOTONIC
    files: Mapping[str, str] = field(default_factory=dict)
    group: str = "io"  # "lab" for an experiment

    @property
    def command(self) -> list[str]:
        """Return the command that records it."""
        return ["stallscope", self.group, self.verb, self.path]

    @property
    def document(self) -> str:
        """Return the name of the result's file."""
        return f"{self.verb}.json"


def make_directory(path: Path, *, force: bool) -> None:
    """Create the directory of a recording; an existing recording is replaced only with force.

    Raises UsageError if the path holds anything but a recording of a disk.
    """
    recording_directory.make_directory(
        path, KIND, subject="a disk", force=force, own_files=_recorded_files
    )


class _FilesRecord(Record, frozen=True):
    files: tuple[RecordedFile, ...] = ()


def _recorded_files(path: Path) -> Iterable[str]:
    """Return the files of an existing recording, by its manifest."""
    names = (file.name for file in read_document(path / MANIFEST, _FilesRecord).files)
    return (PAGE, *(name for name in names if name and "/" not in name and name != MANIFEST))


def write_manifest(
    recording: IoRecording,
    *,
    end: str | None,
    modelled: bool = False,
    warnings: Iterable[str] = (),
    settings: Fingerprint | None = None,
) -> None:
    """Write recording.json; without an end ("duration" or "signal") it is incomplete."""
    files = {
        recording.document: f"stallscope.{recording.group}.{recording.verb}/1",
        **recording.files,
    }
    kind = "modelled" if modelled else "measured"
    command = tuple(recording.command)
    manifest = IoManifest(
        command=command,
        target=Target("command", command=command),
        source=RecordedEvent(event="requests", kind=kind, unit="requests", scope="disk"),
        files=tuple(RecordedFile(name=name, format=format_) for name, format_ in files.items()),
        settings=settings,
        warnings=tuple(Notice("disk", text) for text in warnings),
        end=RecordedEnd(reason=end or ""),
    )
    recording_directory.write_manifest(
        recording.folder, manifest, begin_ns=recording.begin_ns, ended=end is not None
    )
