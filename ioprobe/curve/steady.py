"""Warm-up and steady state told apart: where the level of a series of rates changes, if it does.

The change is the split with the least squared error. It counts where the two levels differ by a
tenth, and by LEAST_T standard errors of the difference: among the tens of splits that are tried, a
series without a change reaches that in less than one case of ten thousand.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from ioprobe.curve.readings import Reading

LEAST_T = 6.0
LEAST_CHANGE = 0.1  # of the larger level
LEAST_STEPS = 8  # with fewer nothing is said
LEAST_PART = 2  # steps on either side of a change
MOST_WARM_UP = 0.25  # of a reading's time; beyond it latencies are of warm-up too much


class Course(StrEnum):
    """How a series went."""

    STEADY = "steady"
    RISES = "rises"  # a warm-up, then a steady state
    FALLS = "falls"  # a burst, then a steady state
    UNKNOWN = "too short to tell"


@dataclass(frozen=True, slots=True)
class Settling:
    """A series' course: ``before`` and ``after`` are its levels, ``steps`` those before."""

    course: Course
    steps: int
    before: float
    after: float


def settling(series: Sequence[float]) -> Settling:
    """Return where the series' level changes; without a change both levels are its mean."""
    values = np.asarray(series, float)
    if len(values) < LEAST_STEPS:
        mean = float(values.mean()) if len(values) else 0.0
        return Settling(Course.UNKNOWN, 0, mean, mean)
    split, error = _best_split(values)
    before, after = float(values[:split].mean()), float(values[split:].mean())
    rest = len(values) - split
    spread = math.sqrt(error / (len(values) - 2) * (1 / split + 1 / rest))
    gap = abs(after - before)
    if gap <= LEAST_CHANGE * max(before, after) or gap < LEAST_T * spread:
        mean = float(values.mean())
        return Settling(Course.STEADY, 0, mean, mean)
    return Settling(Course.RISES if after > before else Course.FALLS, split, before, after)


def _best_split(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> tuple[int, float]:
    """Return how many values stand before the best change, and the squared error it leaves."""
    n = len(values)
    splits = np.arange(LEAST_PART, n - LEAST_PART + 1)
    sums = np.cumsum(values)
    left, total = sums[splits - 1], sums[-1]
    gain = left**2 / splits + (total - left) ** 2 / (n - splits)
    best = int(np.argmax(gain))
    return int(splits[best]), max(0.0, float((values**2).sum() - gain[best]))


def settled(reading: Reading) -> Reading:
    """Return the reading at its steady level; masked where too much of it was warm-up.

    A reading that falls keeps its level after the burst.
    """
    found = settling(reading.series)
    if found.course not in (Course.RISES, Course.FALLS):
        return reading
    if found.course is Course.RISES and found.steps > MOST_WARM_UP * len(reading.series):
        warm_s = found.steps * reading.step_s
        why = f"still warming up for {warm_s:.1f} of {reading.seconds:.1f} s"
        return replace(reading, iops=found.after, failed=(*reading.failed, why))
    return replace(reading, iops=found.after)
