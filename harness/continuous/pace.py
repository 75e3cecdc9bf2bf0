"""The pace of a continuous recording: rate, length and pause of segments that keep a CPU budget.

A segment costs a fixed time (start and close of the collector, export) and a time that grows with
the sampling rate. Long segments divide the fixed part, a lower rate reduces the other one, and a
pause is the last resort. What was spent beyond the budget, such as the start of this process, is
saved in the next segments, so that the share of the whole run falls to the budget or below.
"""

import math
from dataclasses import dataclass

MIN_HZ = 1
MAX_SEGMENT_S = 600.0
# Of the allowance, so that a segment that is a little busier than the last one keeps the budget.
MARGIN = 0.9
MAX_SAVING = 0.5  # part of an allowance that is saved to make up for what was spent before
FIXED_PART = 0.45  # largest part of an allowance for the fixed cost, by longer segments
MAX_GROWTH = 2.0  # of the rate from one segment to the next
_OVERRUN = 1.5  # a segment ends early at this multiple of its CPU time for samples
_OVERRUN_S = 0.05


@dataclass(frozen=True, slots=True)
class SegmentPlan:
    """The next segment; ``variable_s``: CPU time that its samples may cost."""

    frequency_hz: int
    duration_s: float
    pause_s: float
    variable_s: float

    def is_overrun(self, variable_s: float) -> bool:
        """Return whether a segment should end early, its samples having cost so much CPU time."""
        return variable_s > _OVERRUN * self.variable_s + _OVERRUN_S


@dataclass(frozen=True, slots=True)
class SegmentCost:
    """CPU time of a segment: the fixed part, and the part that grows with the rate."""

    seconds: float
    frequency_hz: int
    fixed_s: float
    variable_s: float


class BudgetPace:
    """Plans segments from the costs of those before.

    ``first_variable``: assumed CPU time per second at 1 Hz before a segment was measured.
    """

    def __init__(
        self, share: float, *, max_hz: int, segment_s: float, first_variable: float
    ) -> None:
        self._share = share
        self._max_hz = max_hz
        self._segment_s = segment_s
        self._variable = first_variable
        self._fixed_s = 0.0
        self._hz: float | None = None

    def plan(self, elapsed_s: float, used_s: float) -> SegmentPlan:
        """Return the next segment. ``used_s``: CPU time since the start, ``elapsed_s`` ago."""
        debt_s = max(0.0, used_s - self._share * elapsed_s)
        length_s = min(
            max(self._segment_s, self._length_s(debt_s)), max(MAX_SEGMENT_S, self._segment_s)
        )
        whole_s = MARGIN * self._share * length_s
        variable_s = whole_s - min(debt_s, MAX_SAVING * whole_s) - self._fixed_s
        per_hz = max(self._variable * length_s, 1e-12)
        possible_hz = variable_s / per_hz
        limit_hz = self._max_hz if self._hz is None else min(self._max_hz, MAX_GROWTH * self._hz)
        hz = max(MIN_HZ, math.floor(min(possible_hz, limit_hz)))
        pause_s = 0.0
        if possible_hz < MIN_HZ:
            pause_s = (per_hz * MIN_HZ - variable_s) / self._share
        return SegmentPlan(hz, length_s, pause_s, max(variable_s, per_hz * MIN_HZ))

    def _length_s(self, debt_s: float) -> float:
        """Return the length of which the fixed cost takes its largest part."""
        per_s = MARGIN * self._share
        length_s = (self._fixed_s / FIXED_PART + debt_s) / per_s
        if debt_s <= MAX_SAVING * per_s * length_s:
            return length_s
        return self._fixed_s / (FIXED_PART * (1 - MAX_SAVING) * per_s)

    def note(self, cost: SegmentCost) -> None:
        """Note the cost of a segment. A larger cost counts at once, a smaller one by half."""
        self._hz = float(cost.frequency_hz)
        self._fixed_s = _raised(self._fixed_s, cost.fixed_s)
        if cost.seconds > 0:
            variable = cost.variable_s / (cost.seconds * cost.frequency_hz)
            self._variable = _raised(self._variable, variable)


def _raised(before: float, now: float) -> float:
    return now if now > before else (before + now) / 2
