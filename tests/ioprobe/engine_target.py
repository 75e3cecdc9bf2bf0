"""A target for the engine's tests, and points measured on it."""

from dataclasses import dataclass

from ioprobe.engine.engine import Measured, Point, measuring
from ioprobe.target.simulated import Simulated

MS = 1_000_000
KNOWN = Simulated(8, MS)


@dataclass(frozen=True, slots=True)
class Target:
    path: str = ""
    descriptor: int | None = None
    offset_bytes: int = 0
    span_bytes: int = 1 << 20
    writable: bool = False
    simulated: Simulated | None = KNOWN


def measured(target: Target, *points: Point, **options) -> list[Measured]:
    return [found for found in measuring(target, points, **options) if isinstance(found, Measured)]
