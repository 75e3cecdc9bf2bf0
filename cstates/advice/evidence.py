"""What measured wake-ups showed of closing states, as `stallscope cstates latency --json` told."""

from collections.abc import Sequence
from dataclasses import dataclass

from cstates.wake_latency import Found, Verdict
from stallscope.errors import RecordingError
from stallscope.json_fields import REMEDY, Fields

SCHEMA = "stallscope.cstates.latency/1"
_SAYS_NOTHING = frozenset({Found.TOO_FEW, Found.WITHOUT_EFFECT, Found.NOT_COUNTED})


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one test showed of closing these states."""

    test: str
    closed: tuple[str, ...]
    finding: Found
    text: str

    @property
    def says_something(self) -> bool:
        """Return whether it is a verdict, be it that nothing is gained."""
        return self.finding not in _SAYS_NOTHING


def evidence_from(verdicts: Sequence[Verdict]) -> tuple[Evidence, ...]:
    """Return what verdicts show."""
    return tuple(
        Evidence(each.test.name, each.setting.closed, each.finding, each.text) for each in verdicts
    )


def evidence_of(fields: Fields) -> tuple[Evidence, ...]:
    """Return what a document shows; RecordingError where it is no such document, or damaged."""
    if fields.text("schema", "") != SCHEMA:
        raise RecordingError(
            f"{fields.where}: the schema is not {SCHEMA}",
            "make one: stallscope cstates latency --json > FILE",
        )
    return tuple(
        Evidence(row.text("test"), row.texts("closed"), _finding(row), row.text("text"))
        for row in fields.objects("verdicts")
    )


def _finding(row: Fields) -> Found:
    text = row.text("finding")
    try:
        return Found(text)
    except ValueError:
        raise RecordingError(f"{row.where}: {text[:64]!r} is no finding", REMEDY) from None
