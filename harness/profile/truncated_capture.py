"""The lost part of a capture that ends too early or has other data at its end."""

from harness.cli.terminal import percent
from stallscope._native import Capture
from stallscope.errors import RecordingError
from stallscope.recordings import SAMPLES, Recording
from topdown.stacks.profile_warning import ProfileWarning

MAX_LOST_SHARE = 0.5
_PERF_MESSAGE = b"[ perf record: "


def truncation_warning(capture: Capture, recording: Recording) -> tuple[ProfileWarning, ...]:
    """Return a warning with the lost share if the capture was not read to its end.

    Raises RecordingError if no sample is readable or more than half is lost.
    """
    offset = capture.truncated_at
    if offset is None:
        return ()
    if capture.records_end is not None and offset >= capture.records_end:
        return _warning(
            f"The file ends at offset {offset}, before the description of the host: all samples "
            "were read.",
        )
    trailing = _bytes_from(recording, offset)
    if trailing.startswith(_PERF_MESSAGE):
        return _warning(
            f"Messages of perf follow the capture at offset {offset} and were skipped: all samples "
            "were read."
        )
    share = _lost_share(capture, recording, offset)
    lost = "an unknown part" if share is None else f"{percent(share)}"
    if len(capture.time_ns) == 0 or (share or 0.0) > MAX_LOST_SHARE:
        raise RecordingError(
            f"{recording.samples} is truncated at offset {offset}: {lost} of it is lost, "
            f"{len(capture.time_ns):,} samples are readable",
            "record again, or copy the file again",
        )
    return _warning(
        f"The capture is truncated at offset {offset}: {lost} of it is lost. The samples before "
        "are shown."
    )


def _warning(message: str) -> tuple[ProfileWarning, ...]:
    return (ProfileWarning("capture-truncated", message),)


def _lost_share(capture: Capture, recording: Recording, offset: int) -> float | None:
    """Return the lost share of samples or, if their number is unknown, of bytes; 0..1 or None."""
    manifest = recording.manifest
    if len(capture.switch_time_ns) and (written := _written_bytes(recording)):
        return max(0.0, 1 - offset / written)  # samples of switches are not in the manifest's count
    if manifest is not None and manifest.complete and manifest.samples:
        return max(0.0, 1 - len(capture.time_ns) / manifest.samples)
    if capture.records_end is not None:
        return 1 - offset / capture.records_end
    size_bytes = recording.samples.stat().st_size if recording.samples.is_file() else 0
    return 1 - offset / size_bytes if size_bytes > offset else None


def _bytes_from(recording: Recording, offset: int) -> bytes:
    """Return the start of the data at ``offset``; empty for a pipe."""
    if not recording.samples.is_file():
        return b""
    with recording.samples.open("rb") as file:
        file.seek(offset)
        return file.read(len(_PERF_MESSAGE))


def _written_bytes(recording: Recording) -> int | None:
    """Return the size of the capture when it was closed; None if the manifest does not say."""
    files = recording.manifest.files if recording.manifest is not None else ()
    return next((file.bytes for file in files if file.name == SAMPLES), None)
