"""Whether a CPU's events were held to programs with known answers, on a real one of its kind.

Self-tests that people sent in are kept in ``verified/``, one file a model, as `stallscope topdown
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
    """Whether there is a self-test of a model's CPU, and the events that it found broken."""

    verified: bool = False
    broken: Mapping[str, str] = field(default_factory=dict)


def verification_of(key: str, folder: Path = FOLDER) -> Verification:
    """Return what the self-test of a model's CPU says; RecordingError where its file is damaged."""
    path = folder / f"{key}.json"
    if not path.exists():
        return Verification()
    fields = read_fields(path)
    if fields.text("schema", "") != SCHEMA or fields.text("cpu") != key:
        raise RecordingError(f"{path} is no {SCHEMA} of {key}", "install stallscope again")
    events = fields.fields("events")
    broken = {
        name: f"{name} is broken on this CPU: {event.text('reason', 'the self-test failed')}"
        for name in events.values
        if (event := events.fields(name)).text("verdict") == BROKEN
    }
    return Verification(True, broken)
