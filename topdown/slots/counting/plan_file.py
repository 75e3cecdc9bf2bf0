"""The plan file, with the subject of the plan, so that any host can analyse the recording."""

import json
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from msgspec import Raw

from stallscope.documents import DAMAGED, UNSET, Record, UnsetType, read_document
from stallscope.documents import field as document_field
from stallscope.errors import RecordingError
from topdown.slots.counting.counting_mode import METRICS, CountingMode
from topdown.slots.counting.plan import Encoding, EventSet, Plan
from topdown.slots.counting.requested_events import RequestedEvent
from topdown.slots.model import Model, keys, load

KEY = "subject"  # in the plan file; the collector ignores it
MAX_NAMES = 2000


@dataclass(frozen=True, slots=True)
class Subject:
    """A model (None for an unknown CPU), its counting mode, and the nodes and events to measure."""

    model: Model | None
    mode: CountingMode = field(default_factory=CountingMode)
    nodes: tuple[str, ...] = ()
    requested: tuple[RequestedEvent, ...] = ()


def write_plan(path: Path, plan: Plan, subject: Subject) -> None:
    """Write a plan file."""
    document = plan.document() | {
        KEY: {
            "model": None if subject.model is None else subject.model.key,
            "smt": subject.mode.smt,
            "ebs_mode": subject.mode.ebs_mode,
            "metrics": sorted(subject.mode.metrics),
            "nodes": list(subject.nodes),
            "asked": [
                {
                    "spelling": event.spelling,
                    "event": event.event,
                    "named": bool(event.encoding.name),
                }
                for event in subject.requested
            ],
            "uncountable": dict(plan.uncountable),
        }
    }
    path.write_text(json.dumps(document, indent=1) + "\n")


class _SetRecord(Record, frozen=True):
    name: str
    events: tuple[str, ...] = ()
    leader: str = ""


class _RequestedRecord(Record, frozen=True):
    spelling: str
    event: str
    named: bool = False


class _SubjectRecord(Record, frozen=True, kw_only=True):
    model: str | UnsetType | None = UNSET
    smt: bool = False
    ebs_mode: bool = False
    metrics: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    asked: tuple[_RequestedRecord, ...] = ()
    uncountable: dict[str, str] = document_field(default_factory=dict)


class _PlanRecord(Record, frozen=True, kw_only=True):
    sets: tuple[_SetRecord, ...] = ()
    # Only the collector needs the encodings.
    events: dict[str, Raw] = document_field(default_factory=dict)
    subject: _SubjectRecord | None = None


def read_plan(path: Path) -> tuple[Plan, Subject | None]:
    """Return a plan and its subject, which is None if stallscope did not make the plan."""
    record = read_document(path, _PlanRecord)
    sets = tuple(EventSet(part.name, part.events, part.leader) for part in record.sets)
    events = {name: Encoding(name=name) for name in record.events}
    subject = record.subject or _SubjectRecord()
    reasons = dict(islice(subject.uncountable.items(), MAX_NAMES))
    plan = Plan(sets, events, reasons)
    return plan, None if subject == _SubjectRecord() else _subject(subject, str(path))


def _subject(record: _SubjectRecord, source: str) -> Subject:
    model = None
    if isinstance(record.model, str):
        if record.model not in keys():
            raise RecordingError(
                f"{source}: unknown CPU model {record.model[:80]!r}",
                "read it with the version of stallscope that made it, or a newer one",
            )
        model = load(record.model)
    unknown = [name for name in record.nodes if model is None or name not in model.nodes]
    if unknown:
        raise RecordingError(f"{source}: unknown node {unknown[0][:80]!r}", DAMAGED)
    metrics = frozenset(record.metrics).intersection(METRICS.values())
    requested = tuple(
        RequestedEvent(
            event.spelling, event.event, Encoding(name=event.event if event.named else "")
        )
        for event in record.asked
    )
    return Subject(
        model, CountingMode(record.smt, record.ebs_mode, metrics), record.nodes, requested
    )
