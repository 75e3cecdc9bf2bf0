"""The disk engine's face: points to measure, and what comes back of them as it comes.

`stallscope-ioqueue points` measures in a process of its own, so that nothing Python does delays a
request: a plan goes in as JSON, lines of JSON come out (native/programs/ioqueue/points.cpp has both
forms). A simulated target runs the same loop in virtual time, and says ``modelled``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from ioprobe.engine.lines import event
from ioprobe.engine.points import (
    Begun,
    Ended,
    Event,
    Latency,
    Measurable,
    Measured,
    Parts,
    Point,
    Progress,
    SelfCheck,
)
from ioprobe.engine.process import told_lines
from ioprobe.target.simulated import Simulated
from stallscope.errors import UsageError

PLAN_SCHEMA = "stallscope.io.plan/1"

__all__ = [
    "Begun",
    "Ended",
    "Event",
    "Latency",
    "Measurable",
    "Measured",
    "Parts",
    "Point",
    "Progress",
    "SelfCheck",
    "measuring",
    "plan_document",
    "target_document",
]


def plan_document(
    target: Measurable,
    points: Sequence[Point],
    *,
    real_time: bool = True,
    cpu: int | None = None,
    log: Path | None = None,
) -> dict[str, object]:
    """Return ``stallscope.io.plan/1``; UsageError where the log's name cannot stand in JSON."""
    if log is not None and _as_utf8(str(log)) != str(log):
        raise UsageError(f"{log}: a name in it is no UTF-8", "name another directory")
    return {
        "schema": PLAN_SCHEMA,
        "target": target_document(target),
        "real_time": real_time,
        "cpu": cpu,
        "log": None if log is None else str(log),
        "points": [asdict(point) for point in points],
    }


def target_document(target: Measurable) -> dict[str, object]:
    """Return a plan's target."""
    return {
        "path": _as_utf8(target.path),  # for messages: what is measured is the descriptor
        "fd": target.descriptor,
        "offset": target.offset_bytes,
        "span_bytes": target.span_bytes,
        "writable": target.writable,
        "simulated": _simulated(target.simulated),
    }


def _as_utf8(text: str) -> str:
    """Names may be any bytes; those that are no UTF-8 become question marks."""
    return text.encode("utf-8", "replace").decode()


def _simulated(device: Simulated | None) -> dict[str, object] | None:
    if device is None:
        return None
    return {
        "servers": device.servers,
        "service_ns": device.service_ns,
        "service": device.service,
    }


def measuring(
    target: Measurable,
    points: Sequence[Point],
    *,
    real_time: bool = True,
    cpu: int | None = None,
    log: Path | None = None,
) -> Iterator[Event]:
    """Yield Begun, then Progress and each point's Measured in the order of the plan, then Ended.

    The first Ctrl-C ends the point in hand, which is kept; a second one raises KeyboardInterrupt.
    Closing the iterator ends the engine. Raises the engine's errors as StallscopeError with its
    exit code. Ids of points must differ.
    """
    by_id = {point.id: point for point in points}
    plan = plan_document(target, points, real_time=real_time, cpu=cpu, log=log)
    for line in told_lines("points", plan, target.descriptor):
        found = event(line, by_id)
        if found is not None:
            yield found
