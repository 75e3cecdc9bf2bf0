"""The plan file, with the subject of the plan, so that any host can analyse the recording."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import ClassVar

from msgspec import Raw

from stallscope.documents import DAMAGED, UNSET, Count, Record, UnsetType, encode, read_document
from stallscope.documents import field as document_field
from stallscope.errors import RecordingError
from topdown.slots.counting.counting_mode import METRICS, CountingMode
from topdown.slots.counting.plan import CountingPlan, Encoding, EventSet
from topdown.slots.counting.requested_events import RequestedEvent
from topdown.slots.model import Model, keys, load

SCHEMA = "stallscope.count-plan/1"
MAX_NAMES = 2000


@dataclass(frozen=True, slots=True)
class Subject:
    """A model (None for an unknown CPU), its counting mode, and the nodes and events to measure."""

    model: Model | None
    mode: CountingMode = field(default_factory=CountingMode)
    nodes: tuple[str, ...] = ()
    requested: tuple[RequestedEvent, ...] = ()


class EncodingRecord(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The encoding of an event: its name, or the arguments of perf_event_open(2)."""

    name: str = ""
    type: Count | None = None
    config: str | None = None  # hexadecimal, as are the next two
    config1: str | None = None
    config2: str | None = None


class SetRecord(Record, frozen=True):
    """Events to count together."""

    name: str
    events: tuple[str, ...] = ()
    leader: str = ""


class RequestedRecord(Record, frozen=True):
    """An event requested by name."""

    spelling: str
    event: str
    named: bool = False


class SubjectRecord(Record, frozen=True, kw_only=True):
    """The subject of a plan; the collector ignores it."""

    model: str | UnsetType | None = UNSET
    smt: bool = False
    ebs_mode: bool = False
    metrics: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    requested: tuple[RequestedRecord, ...] = ()
    uncountable: dict[str, str] = document_field(default_factory=dict)


class PlanRecord(Record, frozen=True, kw_only=True):
    """The content of a plan file."""

    schema: str = SCHEMA
    sets: tuple[SetRecord, ...]
    events: dict[str, EncodingRecord]
    subject: SubjectRecord


class _RecordedPlan(Record, frozen=True, kw_only=True):
    """What is read of a plan file; only the collector needs the encodings."""

    FORMER_KEYS: ClassVar[Mapping[str, str]] = {"asked": "requested"}

    sets: tuple[SetRecord, ...] = ()
    events: dict[str, Raw] = document_field(default_factory=dict)
    subject: SubjectRecord | None = None


def write_plan(path: Path, plan: CountingPlan, subject: Subject) -> None:
    """Write a plan file."""
    path.write_text(encode(plan_record(plan, subject), indent=1) + "\n")


def plan_record(plan: CountingPlan, subject: Subject) -> PlanRecord:
    """Return the content of a plan file."""
    return PlanRecord(
        sets=tuple(
            SetRecord(event_set.name, tuple(event_set.events), event_set.leader)
            for event_set in plan.sets
        ),
        events={name: _encoding_record(encoding) for name, encoding in plan.events.items()},
        subject=SubjectRecord(
            model=None if subject.model is None else subject.model.key,
            smt=subject.mode.smt,
            ebs_mode=subject.mode.ebs_mode,
            metrics=tuple(sorted(subject.mode.metrics)),
            nodes=tuple(subject.nodes),
            requested=tuple(
                RequestedRecord(event.spelling, event.event, bool(event.encoding.name))
                for event in subject.requested
            ),
            uncountable=dict(plan.uncountable),
        ),
    )


def _encoding_record(encoding: Encoding) -> EncodingRecord:
    if encoding.name:
        return EncodingRecord(name=encoding.name)
    return EncodingRecord(
        type=encoding.event_type,
        config=f"{encoding.config:#x}",
        config1=f"{encoding.config1:#x}",
        config2="0x0",
    )


def read_plan(path: Path) -> tuple[CountingPlan, Subject | None]:
    """Return a plan and its subject, which is None if stallscope did not make the plan."""
    record = read_document(path, _RecordedPlan)
    sets = tuple(
        EventSet(event_set.name, event_set.events, event_set.leader) for event_set in record.sets
    )
    events = {name: Encoding(name=name) for name in record.events}
    subject = record.subject or SubjectRecord()
    reasons = dict(islice(subject.uncountable.items(), MAX_NAMES))
    plan = CountingPlan(sets, events, reasons)
    return plan, None if subject == SubjectRecord() else _subject(subject, str(path))


def _subject(record: SubjectRecord, source: str) -> Subject:
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
        for event in record.requested
    )
    return Subject(
        model, CountingMode(record.smt, record.ebs_mode, metrics), record.nodes, requested
    )
