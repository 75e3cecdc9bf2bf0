"""What a plan was made for: kept in the plan's file, so that any host can read the recording."""

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

KEY = "subject"  # of the plan's file; the collector passes it by
MOST_NAMES = 2000


@dataclass(frozen=True, slots=True)
class Subject:
    """A model (None: of an unknown CPU), how its events are counted, and which nodes are wanted."""

    model: Model | None
    mode: CountingMode = field(default_factory=CountingMode)
    nodes: tuple[str, ...] = ()
    asked: tuple[RequestedEvent, ...] = ()


def write_plan(path: Path, plan: Plan, subject: Subject) -> None:
    """Write a plan's file."""
    document = plan.document() | {
        KEY: {
            "model": None if subject.model is None else subject.model.key,
            "smt": subject.mode.smt,
            "ebs_mode": subject.mode.ebs_mode,
            "metrics": sorted(subject.mode.metrics),
            "nodes": list(subject.nodes),
            "asked": [
                {"spelling": each.spelling, "event": each.event, "named": bool(each.encoding.name)}
                for each in subject.asked
            ],
            "uncountable": dict(plan.uncountable),
        }
    }
    path.write_text(json.dumps(document, indent=1) + "\n")


def read_plan(fields: Fields) -> tuple[Plan, Subject | None]:
    """Return a plan's file; the subject is None where the plan was not made by stallscope."""
    sets = tuple(
        EventSet(each.text("name"), each.texts("events"), each.text("leader", ""))
        for each in fields.objects("sets")
    )
    # Encodings matter to the collector alone.
    events = {name: Encoding(name=name) for name in fields.fields("events").values}
    subject = fields.fields(KEY)
    plan = Plan(sets, events, _reasons(subject.fields("uncountable")))
    if not subject.values:
        return plan, None
    return plan, _subject(subject)


def _reasons(fields: Fields) -> Mapping[str, str]:
    return {name: fields.text(name) for name in list(fields.values)[:MOST_NAMES]}


def _subject(fields: Fields) -> Subject:
    model = None
    if fields.values.get("model") is not None:
        key = fields.text("model")
        if key not in keys():
            raise RecordingError(
                f"{fields.where}: no model {key[:80]!r} is known here",
                "read it with the stallscope that made it, or a newer one",
            )
        model = load(key)
    nodes = fields.texts("nodes")
    unknown = [name for name in nodes if model is None or name not in model.nodes]
    if unknown:
        raise RecordingError(f"{fields.where}: no node is called {unknown[0][:80]!r}", REMEDY)
    metrics = frozenset(fields.texts("metrics")).intersection(METRICS.values())
    mode = CountingMode(fields.boolean("smt", False), fields.boolean("ebs_mode", False), metrics)
    asked = tuple(
        RequestedEvent(
            each.text("spelling"),
            each.text("event"),
            Encoding(name=each.text("event") if each.boolean("named", False) else ""),
        )
        for each in fields.objects("asked")
    )
    return Subject(model, mode, nodes, asked)
