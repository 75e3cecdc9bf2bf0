"""A run of `stallscope export perf`: the samples of a recording for the tools of perf.

A recording's samples.perf already has perf's pipe format. It is copied up to its last whole record,
because perf rejects a file that was cut by SIGKILL.
"""

from collections.abc import Iterator
from pathlib import Path

from harness.cli.outputs import check_place, write_whole
from harness.cli.terminal import note
from harness.recordings.captures import check_has_samples
from stallscope._native import CaptureError, read_capture
from stallscope.errors import RecordingError, UsageError
from stallscope.recordings import Recording, open_recording
from topdown.stacks.formats.reading import detect_file

_CHUNK_BYTES = 1 << 20


def export_perf(run: Path, output: Path) -> None:
    """Write the capture of a recording. Raises RecordingError if it is damaged."""
    recording = open_recording(run)
    check_has_samples(recording)
    _check_format(recording)
    end = _end_of_records(recording)
    check_place(output)
    size = recording.samples.stat().st_size
    if end < size:
        note(f"the last {size - end:,} bytes are left out: the recording was cut in a record")
    write_whole(output, _parts(recording.samples, end))


def _check_format(recording: Recording) -> None:
    if recording.manifest is None and recording.samples.is_file():
        file_format = detect_file(recording.samples)
        if file_format is not None:
            raise UsageError(
                f"{recording.path} is a file of {file_format}, which has no records of perf",
                "name a recording of stallscope",
            )


def _end_of_records(recording: Recording) -> int:
    """Return the offset after the last whole record."""
    try:
        capture = read_capture(recording.samples, allow_truncated=True)
    except CaptureError as error:
        raise RecordingError(
            f"{recording.samples}: at offset {error.args[1]}: {error.args[0]}",
            "the file is damaged or not a capture; record again",
        ) from error
    at = capture.truncated_at
    return recording.samples.stat().st_size if at is None else at


def _parts(file: Path, end: int) -> Iterator[bytes]:
    with file.open("rb") as source:
        while end > 0 and (chunk := source.read(min(end, _CHUNK_BYTES))):
            end -= len(chunk)
            yield chunk
