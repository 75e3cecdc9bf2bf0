"""The plan file, with the subject of the plan, so that any host can analyse the recording."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stallscope.errors import RecordingError
from stallscope.json_fields import REMEDY, Fields
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


def read_plan(fields: Fields) -> tuple[Plan, Subject | None]:
    """Return a plan and its subject, which is None if stallscope did not make the plan."""
    sets = tuple(
        EventSet(part.text("name"), part.texts("events"), part.text("leader", ""))
        for part in fields.objects("sets")
    )
    # Only the collector needs encodings.
    events = {name: Encoding(name=name) for name in fields.fields("events").values}
    subject = fields.fields(KEY)
    plan = Plan(sets, events, _reasons(subject.fields("uncountable")))
    if not subject.values:
        return plan, None
    return plan, _subject(subject)


def _reasons(fields: Fields) -> Mapping[str, str]:
    return {name: fields.text(name) for name in list(fields.values)[:MAX_NAMES]}


def _subject(fields: Fields) -> Subject:
    model = None
    if fields.values.get("model") is not None:
        key = fields.text("model")
        if key not in keys():
            raise RecordingError(
                f"{fields.where}: unknown CPU model {key[:80]!r}",
                "read it with the version of stallscope that made it, or a newer one",
            )
        model = load(key)
    nodes = fields.texts("nodes")
    unknown = [name for name in nodes if model is None or name not in model.nodes]
    if unknown:
        raise RecordingError(f"{fields.where}: unknown node {unknown[0][:80]!r}", REMEDY)
    metrics = frozenset(fields.texts("metrics")).intersection(METRICS.values())
    mode = CountingMode(fields.boolean("smt", False), fields.boolean("ebs_mode", False), metrics)
    requested = tuple(
        RequestedEvent(
            event.text("spelling"),
            event.text("event"),
            Encoding(name=event.text("event") if event.boolean("named", False) else ""),
        )
        for event in fields.objects("asked")
    )
    return Subject(model, mode, nodes, requested)
