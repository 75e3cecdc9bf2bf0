"""A target for tests of the engine, and a function that measures points on it."""

from dataclasses import dataclass

from ioprobe.engine.engine import Point, PointResult, measure_points
from ioprobe.target.simulated import SimulatedDisk

MS = 1_000_000
KNOWN = SimulatedDisk(8, MS)


@dataclass(frozen=True, slots=True)
class Target:
    path: str = ""
    descriptor: int | None = None
    offset_bytes: int = 0
    span_bytes: int = 1 << 20
    writable: bool = False
    simulated: SimulatedDisk | None = KNOWN


def measure(target: Target, *points: Point, **options) -> list[PointResult]:
    return [
        event
        for event in measure_points(target, points, **options)
        if isinstance(event, PointResult)
    ]
