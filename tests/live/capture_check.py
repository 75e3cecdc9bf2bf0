"""What a recording that did not end in order must satisfy: it is read completely, or reports its loss."""

from pathlib import Path

from harness.profile.truncated_capture import truncation_warning
from stallscope._native import read_capture
from stallscope.errors import RecordingError
from stallscope.recordings import open_recording


def outcome(directory: Path) -> str:
    """Return "none", "complete", "unclosed", "cut" or "empty"; AssertionError for a silent loss.

    "none": nothing was recorded. "unclosed": recording.json reports that the recorder ended early.
    "cut": the end of the samples is lost, which a warning states. "empty": there are no samples.
    """
    if not (directory / "recording.json").exists():
        return "none"
    recording = open_recording(directory)
    manifest = recording.manifest
    assert manifest is not None
    if not recording.samples.exists() or recording.samples.stat().st_size == 0:
        assert not manifest.complete
        return "empty"
    capture = read_capture(recording.samples, allow_truncated=True)
    samples = len(capture.time_ns)
    if capture.truncated_at is not None:
        assert not manifest.complete
        try:
            assert truncation_warning(capture, recording)
        except RecordingError:
            return "empty"
        return "cut"
    if not manifest.complete:
        return "unclosed"
    assert samples == manifest.samples
    return "complete"


def counting_outcome(directory: Path) -> str:
    """The same for a recording of counters."""
    if not (directory / "recording.json").exists():
        return "none"
    manifest = open_recording(directory).manifest
    assert manifest is not None
    return "complete" if manifest.complete else "unclosed"
