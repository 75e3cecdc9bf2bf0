"""Measurements of points by the disk engine, with events while it runs.

`stallscope-ioqueue points` measures in a separate process, so that the Python interpreter delays no
request. It reads a plan as JSON and prints JSON lines (native/programs/ioqueue/points.cpp documents
both). A simulated target runs the same loop in virtual time; its results are marked ``modelled``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from ioprobe.engine.lines import decode_event
from ioprobe.engine.points import (
    EngineEnd,
    EngineEvent,
    EngineFacts,
    EngineTarget,
    Latency,
    LatencyParts,
    Point,
    PointProgress,
    PointResult,
    SelfCheck,
)
from ioprobe.engine.process import program_lines
from ioprobe.target.simulated import SimulatedDisk
from stallscope.errors import UsageError

PLAN_SCHEMA = "stallscope.io.plan/1"

__all__ = [
    "EngineEnd",
    "EngineEvent",
    "EngineFacts",
    "EngineTarget",
    "Latency",
    "LatencyParts",
    "Point",
    "PointProgress",
    "PointResult",
    "SelfCheck",
    "measure_points",
    "plan_document",
    "target_document",
]


def plan_document(
    target: EngineTarget,
    points: Sequence[Point],
    *,
    real_time: bool = True,
    cpu: int | None = None,
    log: Path | None = None,
) -> dict[str, object]:
    """Return ``stallscope.io.plan/1``; UsageError if the log's name is not valid UTF-8."""
    if log is not None and _as_utf8(str(log)) != str(log):
        raise UsageError(f"{log}: the name is not valid UTF-8", "choose another directory")
    return {
        "schema": PLAN_SCHEMA,
        "target": target_document(target),
        "real_time": real_time,
        "cpu": cpu,
        "log": None if log is None else str(log),
        "points": [asdict(point) for point in points],
    }


def target_document(target: EngineTarget) -> dict[str, object]:
    """Return the target section of a plan."""
    return {
        "path": _as_utf8(target.path),  # for messages; the engine uses the descriptor
        "fd": target.descriptor,
        "offset": target.offset_bytes,
        "span_bytes": target.span_bytes,
        "writable": target.writable,
        "simulated": _simulated(target.simulated),
    }


def _as_utf8(text: str) -> str:
    """Return the text with bytes that are not UTF-8 replaced by question marks."""
    return text.encode("utf-8", "replace").decode()


def _simulated(disk: SimulatedDisk | None) -> dict[str, object] | None:
    if disk is None:
        return None
    return {
        "servers": disk.servers,
        "service_ns": disk.service_ns,
        "service": disk.service,
    }


def measure_points(
    target: EngineTarget,
    points: Sequence[Point],
    *,
    real_time: bool = True,
    cpu: int | None = None,
    log: Path | None = None,
) -> Iterator[EngineEvent]:
    """Yield EngineFacts, then PointProgress and PointResult events in plan order, then EngineEnd.

    The first Ctrl-C ends the current point, whose result is kept; a second one raises
    KeyboardInterrupt. Closing the iterator ends the engine. An error of the engine is raised as
    StallscopeError with the engine's exit code. Point ids must be unique.
    """
    points_by_id = {point.id: point for point in points}
    plan = plan_document(target, points, real_time=real_time, cpu=cpu, log=log)
    for line in program_lines("points", plan, target.descriptor):
        event = decode_event(line, points_by_id)
        if event is not None:
            yield event
