"""A trigger on the latency of requests that the target marks.

The collector counts the requests that ended and those above the limit. A percentile is above a
limit if fewer requests are at or below it than the percentile's rank, so counts suffice.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from harness.flight.conditions import RequestCondition
from harness.flight.event_trigger import EventTrigger

# A percentile of fewer requests than it distinguishes is judged after this number of intervals.
MAX_INTERVALS = 10


@dataclass(slots=True)
class RequestTrigger(EventTrigger):
    """A percentile of the requests above a limit; ``add`` gets the collector's counts."""

    condition: RequestCondition
    _judged: tuple[int, int] = (0, 0)  # counts at the last judgement
    _intervals: int = 0  # since then
    _share: float | None = None  # of the last judged requests above the limit
    _fired: str | None = None

    @property
    def text(self) -> str:
        """Return the condition as the user wrote it."""
        return self.condition.text

    def begin(self) -> None:
        """Forget the counts of the last collector."""
        self._judged, self._intervals, self._fired = (0, 0), 0, None

    def add(self, counts: Sequence[int], place: int) -> None:
        """Add counts of the collector: requests that ended, and at ``place`` those above."""
        if place >= len(counts) or self.descriptor is None:
            return
        ended, above = counts[0] - self._judged[0], counts[place] - self._judged[1]
        self._intervals += 1
        if ended < self._least_requests() and (not ended or self._intervals < MAX_INTERVALS):
            return
        self._judged, self._intervals = (counts[0], counts[place]), 0
        self._share = above / ended
        rank = math.ceil(self.condition.percentile / 100 * ended)
        if ended - above < rank and self._fired is None:
            limit_ms = self.condition.limit_ns / 1e6
            self._fired = f"{above} of {ended} requests above {limit_ms:.3g} ms"
            self.fire()

    def _least_requests(self) -> int:
        return math.ceil(round(100 / (100 - self.condition.percentile), 6))

    def check(self) -> str | None:
        """Return the counts that exceeded the condition."""
        return f"{self.text}: {self._fired}" if self.has_fired() and self._fired else None

    def state(self) -> str:
        """Return the share of slow requests."""
        return "no requests yet" if self._share is None else f"now {self._share:.2%} above"
