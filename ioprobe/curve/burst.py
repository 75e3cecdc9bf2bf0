"""Burst and steady state told apart over a whole session: credit that runs out, caches that fill.

The order of depths is shuffled, so that a level that falls once for all depths is no matter of
depth. Each reading of a saturated depth is set against the last one of its depth, and the change
of level is looked for in all of them, one after the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ioprobe.curve.readings import Reading
from ioprobe.curve.steady import Course, settling

LEAST_FALL = 0.15
_SATURATED = 0.8  # of the greatest throughput among each depth's last readings


@dataclass(frozen=True, slots=True)
class Burst:
    """A faster beginning: readings before ``first_steady`` were taken in it.

    ``fall`` is the share of throughput that was lost; ``inside``: each reading began with a burst.
    """

    first_steady: int
    fall: float
    lasted_s: float
    inside: bool = False

    @property
    def text(self) -> str:
        """Return the finding as a sentence."""
        if self.inside:
            return (
                f"each reading begins {1 / (1 - self.fall):.1f} times as fast as it goes on: "
                "credit fills again between them. The numbers are those after it"
            )
        return (
            f"after {self.lasted_s:.0f} s of load throughput fell by {self.fall:.0%} and stayed "
            "there: burst credit or a cache. The numbers are those after it; readings before it "
            "are masked"
        )


def find_burst(readings: Sequence[Reading]) -> Burst | None:
    """Return the burst that the session began with, or each reading; None without one."""
    last = {one.depth: one.iops for one in readings if not one.failed}
    if not last:
        return None
    floor = _SATURATED * max(last.values())
    saturated = [
        one for one in readings if not one.failed and one.series and last[one.depth] >= floor
    ]
    return _over_session(readings, saturated, last) or _inside(saturated)


def _over_session(
    readings: Sequence[Reading], saturated: Sequence[Reading], last: dict[int, float]
) -> Burst | None:
    steps: list[float] = []
    owners: list[Reading] = []
    for one in saturated:
        steps += [value / last[one.depth] for value in one.series]
        owners += [one] * len(one.series)
    found = settling(steps)
    if found.course is not Course.FALLS:
        return None
    fall = 1 - found.after / found.before
    first = owners[found.steps]
    if fall < LEAST_FALL or first.number == owners[0].number:
        return None
    # The reading that the change falls into is of both.
    inside = owners[found.steps - 1].number == first.number
    first_steady = first.number + 1 if inside else first.number
    lasted_s = sum(one.seconds for one in readings if one.number < first_steady)
    return Burst(first_steady, fall, lasted_s)


def _inside(saturated: Sequence[Reading]) -> Burst | None:
    """Return the burst at the beginning of most readings."""
    courses = [settling(one.series) for one in saturated]
    falls = [one for one in courses if one.course is Course.FALLS]
    if len(falls) < max(3, len(courses) / 2):
        return None
    fall = 1 - sum(one.after for one in falls) / sum(one.before for one in falls)
    return Burst(0, fall, 0.0, inside=True) if fall >= LEAST_FALL else None


def without_burst(readings: Sequence[Reading], burst: Burst | None) -> tuple[Reading, ...]:
    """Return the readings, those taken in the session's burst masked."""
    if burst is None:
        return tuple(readings)
    return tuple(
        replace(one, failed=(*one.failed, "taken in the burst before the steady state"))
        if one.number < burst.first_steady
        else one
        for one in readings
    )
