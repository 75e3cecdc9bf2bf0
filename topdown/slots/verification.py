"""Whether a self-test has verified the events of a CPU model on real hardware.

Contributed self-tests are in ``verified/``, one file per model, as `stallscope topdown
--self-test` writes them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stallscope.documents import Record, read_document
from stallscope.documents import field as document_field
from stallscope.errors import RecordingError

FOLDER = Path(__file__).with_name("verified")
SCHEMA = "stallscope.self-test/1"
BROKEN = "broken"


class _EventRecord(Record, frozen=True):
    verdict: str
    reason: str = "the self-test failed"


class _SelfTestRecord(Record, frozen=True, kw_only=True):
    schema: str = ""
    cpu: str = ""
    events: dict[str, _EventRecord] = document_field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether a self-test of a model's CPU exists, and the broken events that it found."""

    verified: bool = False
    broken: Mapping[str, str] = field(default_factory=dict)


def verification_of(key: str, folder: Path = FOLDER) -> Verification:
    """Return the result of a model's self-test. Raises RecordingError if its file is damaged."""
    path = folder / f"{key}.json"
    if not path.exists():
        return Verification()
    record = read_document(path, _SelfTestRecord)
    if record.schema != SCHEMA or record.cpu != key:
        raise RecordingError(f"{path}: expected a {SCHEMA} of {key}", "reinstall stallscope")
    broken = {
        name: f"{name} is broken on this CPU: {event.reason}"
        for name, event in record.events.items()
        if event.verdict == BROKEN
    }
    return Verification(True, broken)
