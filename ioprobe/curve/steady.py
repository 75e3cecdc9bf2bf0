"""Detection of warm-up and steady state: the change of level in a series of rates, if any.

The change is the split with the smallest squared error. It counts if the levels differ by a tenth
and by MIN_T standard errors of the difference. Among the tens of splits that are tried, a series
without a change reaches MIN_T in fewer than one case of ten thousand.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from ioprobe.curve.readings import DepthReading

MIN_T = 6.0
MIN_CHANGE = 0.1  # of the higher level
MIN_STEPS = 8  # a shorter series has no trend
MIN_PART_STEPS = 2  # on either side of a change
MAX_WARM_UP_SHARE = 0.25  # of a reading; beyond it the latencies include too much warm-up


class Trend(StrEnum):
    """The trend of a series."""

    STEADY = "steady"
    RISES = "rises"  # a warm-up, then a steady state
    FALLS = "falls"  # a burst, then a steady state
    UNKNOWN = "unknown"  # the series is too short


@dataclass(frozen=True, slots=True)
class LevelChange:
    """Trend of a series, its levels before and after the change, and the steps before it."""

    trend: Trend
    steps: int
    before: float
    after: float


def find_level_change(series: Sequence[float]) -> LevelChange:
    """Return the change of level; without one both levels are the mean of the series."""
    values = np.asarray(series, float)
    if len(values) < MIN_STEPS:
        mean = float(values.mean()) if len(values) else 0.0
        return LevelChange(Trend.UNKNOWN, 0, mean, mean)
    split, error = _best_split(values)
    before, after = float(values[:split].mean()), float(values[split:].mean())
    rest = len(values) - split
    standard_error = math.sqrt(error / (len(values) - 2) * (1 / split + 1 / rest))
    gap = abs(after - before)
    if gap <= MIN_CHANGE * max(before, after) or gap < MIN_T * standard_error:
        mean = float(values.mean())
        return LevelChange(Trend.STEADY, 0, mean, mean)
    return LevelChange(Trend.RISES if after > before else Trend.FALLS, split, before, after)


def _best_split(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> tuple[int, float]:
    """Return the number of values before the best split, and its remaining squared error."""
    n = len(values)
    splits = np.arange(MIN_PART_STEPS, n - MIN_PART_STEPS + 1)
    sums = np.cumsum(values)
    left, total = sums[splits - 1], sums[-1]
    gain = left**2 / splits + (total - left) ** 2 / (n - splits)
    best = int(np.argmax(gain))
    return int(splits[best]), max(0.0, float((values**2).sum() - gain[best]))


def at_steady_level(reading: DepthReading) -> DepthReading:
    """Return the reading with its steady throughput; masked if its warm-up was too long.

    A reading that falls keeps the level after the burst.
    """
    change = find_level_change(reading.series)
    if change.trend not in (Trend.RISES, Trend.FALLS):
        return reading
    if change.trend is Trend.RISES and change.steps > MAX_WARM_UP_SHARE * len(reading.series):
        warm_up_s = change.steps * reading.step_s
        reason = f"warm-up took {warm_up_s:.1f} of {reading.seconds:.1f} s"
        return replace(reading, iops=change.after, failed=(*reading.failed, reason))
    return replace(reading, iops=change.after)
