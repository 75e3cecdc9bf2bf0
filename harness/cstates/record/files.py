"""The files of a recording of idle intervals: directory, manifest and result."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from cstates.idle.recording import TRACE_FILE
from harness.cli.outputs import write_whole
from harness.cstates.record.result import IdleResult, RecordingEnd
from harness.recordings import directory as recording_directory
from harness.recordings.kinds import kind_of
from harness.recordings.manifest import IdleManifest
from stallscope.documents import encode, read_document, schema_name
from stallscope.errors import RecordingError, UsageError
from stallscope.recordings import (
    RecordedEnd,
    RecordedEvent,
    RecordedFile,
    Target,
    open_recording,
)

KIND = "idle"
RESULT_FILE = "idle.json"
PAGE = "report.html"


def make_directory(path: Path, *, force: bool) -> None:
    """Make the recording's directory; with ``force``, replace a recording of idle intervals.

    Raises UsageError if something else exists at the path.
    """
    files = (TRACE_FILE, RESULT_FILE, PAGE)
    recording_directory.make_directory(
        path, KIND, subject="idle intervals", force=force, own_files=lambda _: files
    )


def write_manifest(
    folder: Path, command: Sequence[str], *, begin_ns: int, end: RecordingEnd | None
) -> None:
    """Write recording.json; the recording is complete if it has an end."""
    recorded_end = RecordedEnd()
    if end is not None:
        recorded_end = RecordedEnd(reason=end.reason, target_status=end.status)
    manifest = IdleManifest(
        command=tuple(command),
        target=Target("command", command=tuple(command)) if command else Target("cpus"),
        source=RecordedEvent(event="power:cpu_idle", unit="ns", scope="cpus"),
        files=(
            RecordedFile(name=RESULT_FILE, format=schema_name(IdleResult)),
            RecordedFile(name=TRACE_FILE, format="CSV, one idle interval per line; only if traced"),
        ),
        end=recorded_end,
    )
    recording_directory.write_manifest(folder, manifest, begin_ns=begin_ns, ended=end is not None)


def write_result(folder: Path, result: IdleResult) -> None:
    """Write the result's file."""
    write_whole(folder / RESULT_FILE, [encode(result) + "\n"])


def read_result(folder: Path) -> IdleResult:
    """Return the result of a recording of idle intervals.

    Raises UsageError for a recording of another kind, RecordingError if there is none, or if it
    ended before it had a result.
    """
    if (folder / RESULT_FILE).is_file():
        return read_document(folder / RESULT_FILE, IdleResult)
    kind = kind_of(open_recording(folder))
    if kind != KIND:
        raise UsageError(
            f"{folder} is not a recording of idle intervals: its kind is {kind}",
            f"show it: stallscope report {shlex.quote(str(folder))}",
        )
    raise RecordingError(
        f"{folder} has no {RESULT_FILE}: it is not a finished recording of idle intervals",
        "make one: stallscope cstates record -o DIR --duration 10",
    )
