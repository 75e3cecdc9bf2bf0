"""The kind of a recording, which decides the code that reads it."""

from pathlib import Path

from stallscope.documents import Record, read_document
from stallscope.recordings import MANIFEST, Recording

PROFILE, COUNTERS, WAITS, REQUESTS = "samples", "counters", "waits", "requests"
_COUNTING_PLAN = "plan.json"  # the collector writes it beside counters
_WAIT_LOG = "waits.jsonl"  # and this one beside samples of waits
_REQUEST_MARKS = "requests.bin"  # beside both, with marks of requests


class _KindRecord(Record, frozen=True):
    kind: str | None = None


def kind_of(recording: Recording) -> str:
    """Return "samples" (a CPU profile), "counters", "waits", "requests", "load" and so on."""
    if recording.manifest is None:
        return PROFILE
    if (recording.path / _COUNTING_PLAN).exists():
        return COUNTERS
    if (recording.path / _WAIT_LOG).exists():
        return REQUESTS if (recording.path / _REQUEST_MARKS).exists() else WAITS
    return manifest_kind(recording.path) or PROFILE


def manifest_kind(directory: Path) -> str:
    """Return the kind in a directory's recording.json; empty in early recordings of samples."""
    return read_document(directory / MANIFEST, _KindRecord).kind or ""
