"""The memory lab: runs the plan's parts and keeps what was measured, to the end or to Ctrl-C."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from cstates.fingerprint import Fingerprint
from harness.labs.memory.plan import Part, Section, expected_s
from harness.labs.memory.points import LeftOut, Measured, Point
from harness.labs.memory.program import run_points
from harness.workload.machine import LabMachine

_TRUST_S = 2.0


@dataclass(frozen=True, slots=True)
class SectionResults:
    """What became of a section's points."""

    section: Section
    measured: tuple[Measured, ...]
    left_out: tuple[LeftOut, ...]
    note: str  # why the section is empty


@dataclass(frozen=True, slots=True)
class LabResults:
    """All that was found."""

    machine: LabMachine
    limit_bytes: int
    sections: tuple[SectionResults, ...]
    seconds: float
    interrupted: bool
    settings: Fingerprint | None = None  # of the machine; None: not looked at

    def section(self, wanted: Section) -> SectionResults:
        """Return one section's results; empty where the lab was interrupted before it."""
        for results in self.sections:
            if results.section is wanted:
                return results
        return SectionResults(wanted, (), (), "interrupted before it")


@dataclass(frozen=True, slots=True)
class LabProgress:
    """How far the lab is."""

    section: Section
    point: Point
    share: float  # of the whole expected time, 0..1
    left_s: float


def run_lab(
    machine: LabMachine,
    parts: tuple[Part, ...],
    *,
    limit_bytes: int,
    on_progress: Callable[[LabProgress], None],
) -> LabResults:
    """Return what was measured; Ctrl-C ends the lab and keeps it.

    Raises UnableError where the measuring program cannot run.
    """
    clock = _Clock(sum(part.expected_s for part in parts), on_progress)
    sections: list[SectionResults] = []
    interrupted = False
    for part in parts:
        measured: list[Measured] = []
        left_out = list(part.left_out)
        try:
            run_points(part.points, part.pace, partial(_keep, part, measured, left_out, clock))
        except KeyboardInterrupt:
            interrupted = True
        note = part.note if not interrupted else "interrupted"
        sections.append(SectionResults(part.section, tuple(measured), tuple(left_out), note))
        if interrupted:
            break
    return LabResults(machine, limit_bytes, tuple(sections), clock.spent_s(), interrupted)


def _keep(
    part: Part,
    measured: list[Measured],
    left_out: list[LeftOut],
    clock: "_Clock",
    found: Measured | LeftOut,
) -> None:
    if isinstance(found, Measured):
        measured.append(found)
    else:
        left_out.append(found)
    clock.done(part, found.point)


class _Clock:
    """Tells how long the rest takes, by how the estimates for the past have held."""

    def __init__(self, expected_s: float, on_progress: Callable[[LabProgress], None]) -> None:
        self._expected_s = expected_s
        self._past_s = 0.0
        self._started = time.monotonic()
        self._on_progress = on_progress

    def spent_s(self) -> float:
        return time.monotonic() - self._started

    def done(self, part: Part, point: Point) -> None:
        self._past_s += expected_s(point, part.pace)
        share = min(1.0, self._past_s / self._expected_s)
        # How the estimates for the past have held; the first points are too short to tell.
        held = (self.spent_s() + _TRUST_S) / (self._past_s + _TRUST_S)
        left_s = max(0.0, self._expected_s - self._past_s) * held
        self._on_progress(LabProgress(part.section, point, share, left_s))
