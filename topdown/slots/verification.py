"""Whether a self-test has verified the events of a CPU model on real hardware.

Contributed self-tests are in ``verified/``, one file per model, as `stallscope topdown
--self-test` writes them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stallscope.errors import RecordingError
from stallscope.json_fields import read_fields

FOLDER = Path(__file__).with_name("verified")
SCHEMA = "stallscope.self-test/1"
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
    fields = read_fields(path)
    if fields.text("schema", "") != SCHEMA or fields.text("cpu") != key:
        raise RecordingError(f"{path}: expected a {SCHEMA} of {key}", "reinstall stallscope")
    events = fields.fields("events")
    broken = {
        name: f"{name} is broken on this CPU: {event.text('reason', 'the self-test failed')}"
        for name in events.values
        if (event := events.fields(name)).text("verdict") == BROKEN
    }
    return Verification(True, broken)
