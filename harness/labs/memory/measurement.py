"""The measurement of the memory lab: runs the parts of the plan, until the end or Ctrl-C."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from cstates.fingerprint import Fingerprint
from harness.labs.memory.plan import LabSection, PlanPart, expected_s
from harness.labs.memory.points import PointReading, RingPoint, SkippedPoint
from harness.labs.memory.program import PointResult, run_points
from harness.workload.machine import LabMachine

_PRIOR_S = 2.0


@dataclass(frozen=True, slots=True)
class SectionReadings:
    """The readings of a section."""

    section: LabSection
    readings: tuple[PointReading, ...]
    left_out: tuple[SkippedPoint, ...]
    note: str  # the reason if the section is empty


@dataclass(frozen=True, slots=True)
class MemoryMeasurement:
    """All readings of the lab."""

    machine: LabMachine
    limit_bytes: int
    sections: tuple[SectionReadings, ...]
    seconds: float
    interrupted: bool
    settings: Fingerprint | None = None  # of the machine; None: not read

    def section(self, section: LabSection) -> SectionReadings:
        """Return the readings of a section; empty if the lab was interrupted before it."""
        for readings in self.sections:
            if readings.section is section:
                return readings
        return SectionReadings(section, (), (), "interrupted before it")

    def all_readings(self) -> tuple[PointReading, ...]:
        """Return the readings of all sections."""
        return tuple(reading for section in self.sections for reading in section.readings)


@dataclass(frozen=True, slots=True)
class MemoryProgress:
    """Progress of the lab."""

    section: LabSection
    point: RingPoint
    share: float  # of the expected time, 0..1
    left_s: float


def measure_memory(
    machine: LabMachine,
    parts: tuple[PlanPart, ...],
    *,
    limit_bytes: int,
    on_progress: Callable[[MemoryProgress], None],
    events: Sequence[str] = (),
) -> MemoryMeasurement:
    """Return the readings; Ctrl-C ends the lab and keeps them. Threads count the events.

    Raises UnableError if the measuring program cannot run.
    """
    clock = _Clock(sum(part.expected_s for part in parts), on_progress)
    sections: list[SectionReadings] = []
    interrupted = False
    for part in parts:
        readings: list[PointReading] = []
        left_out = list(part.left_out)
        try:
            keep = partial(_keep, part, readings, left_out, clock)
            run_points(part.points, part.repeats, keep, events)
        except KeyboardInterrupt:
            interrupted = True
        note = part.note if not interrupted else "interrupted"
        sections.append(SectionReadings(part.section, tuple(readings), tuple(left_out), note))
        if interrupted:
            break
    return MemoryMeasurement(machine, limit_bytes, tuple(sections), clock.elapsed_s(), interrupted)


def _keep(
    part: PlanPart,
    readings: list[PointReading],
    left_out: list[SkippedPoint],
    clock: "_Clock",
    result: PointResult,
) -> None:
    if isinstance(result, PointReading):
        readings.append(result)
    else:
        left_out.append(result)
    clock.advance(part, result.point)


class _Clock:
    """Estimates the time left, from the expected and the real time of the points so far."""

    def __init__(self, expected_s: float, on_progress: Callable[[MemoryProgress], None]) -> None:
        self._expected_s = expected_s
        self._done_s = 0.0  # expected time of the points so far
        self._began_s = time.monotonic()
        self._on_progress = on_progress

    def elapsed_s(self) -> float:
        return time.monotonic() - self._began_s

    def advance(self, part: PlanPart, point: RingPoint) -> None:
        self._done_s += expected_s(point, part.repeats)
        share = min(1.0, self._done_s / self._expected_s)
        # The prior keeps the ratio near 1 while the points so far are too short to judge by.
        slowness = (self.elapsed_s() + _PRIOR_S) / (self._done_s + _PRIOR_S)
        left_s = max(0.0, self._expected_s - self._done_s) * slowness
        self._on_progress(MemoryProgress(part.section, point, share, left_s))
