"""Whether a self-test has verified the events of a CPU model on real hardware.

Contributed self-tests are in ``verified/``, one file per model, as `stallscope topdown
--self-test` writes them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stallscope.documents import read_document
from stallscope.errors import RecordingError
from topdown.slots.self_test.result import SelfTestResult

FOLDER = Path(__file__).with_name("verified")
BROKEN = "broken"


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
    result = read_document(path, SelfTestResult)
    if result.cpu != key:
        raise RecordingError(f"{path}: expected the self-test of {key}", "reinstall stallscope")
    broken = {
        name: f"{name} is broken on this CPU: {event.reason or 'the self-test failed'}"
        for name, event in result.events.items()
        if event.verdict == BROKEN
    }
    return Verification(True, broken)
