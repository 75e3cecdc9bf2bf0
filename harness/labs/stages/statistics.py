"""Paired readings of two sides: the ratio of each pair, its interval, and what may be concluded.

The interval is of order statistics: the least and greatest ratio of five pairs hold the median with
a probability of 1 - 2 / 2^5 = 94 %, whatever the readings' distribution; with more pairs the
narrowest pair of order statistics that holds it at least as surely (Conover, Practical
Nonparametric Statistics, 1999, section 3.2).
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

LEAST_PAIRS = 5
CONFIDENCE = 1 - 2 / 2**LEAST_PAIRS
LEAST_EFFECT = 0.02  # below it a gain is not worth the name, however surely it is there
SAME_WITHIN = 0.05  # an interval within this around 1 says: no gain, no loss


@dataclass(frozen=True, slots=True)
class Spread:
    """A median with the interval that holds it, and how many values it is of."""

    median: float
    low: float
    high: float
    n: int


class Conclusion(StrEnum):
    """What the pairs say together."""

    GAIN = "gain"
    LOSS = "loss"
    NO_GAIN = "no gain here"
    REFUSED = "no verdict"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A conclusion, and the sentence that gives its reason."""

    conclusion: Conclusion
    reason: str


def spread(values: Sequence[float]) -> Spread | None:
    """Return the median with its interval; None without a value."""
    if not values:
        return None
    ordered = sorted(values)
    place = _place_from_end(len(ordered))
    return Spread(statistics.median(ordered), ordered[place], ordered[-1 - place], len(ordered))


def _place_from_end(n: int) -> int:
    """Return how many values at each end may be left out of the interval."""
    outside, place = 2 / 2**n, 0
    while place + 1 < n // 2:
        outside += 2 * math.comb(n, place + 1) / 2**n
        if outside > 1 - CONFIDENCE:
            break
        place += 1
    return place


def ratios(upper: Sequence[float | None], lower: Sequence[float | None]) -> list[float]:
    """Return the ratio of each pair that has both values, and a lower one above zero."""
    return [
        one / other
        for one, other in zip(upper, lower, strict=True)
        if one is not None and other is not None and other > 0
    ]


def judge(ratio: Spread | None, what: str) -> Verdict:
    """Return what the ratios of the pairs say, where more is better.

    A gain (or loss) needs every value of the interval on its side of 1, and a median that differs
    by LEAST_EFFECT. No gain needs an interval within SAME_WITHIN of 1. Anything else is rounds that
    disagree: no verdict.
    """
    if ratio is None or ratio.n < LEAST_PAIRS:
        n = 0 if ratio is None else ratio.n
        return Verdict(
            Conclusion.REFUSED, f"{n} pairs of rounds are too few: it takes at least {LEAST_PAIRS}"
        )
    told = f"{what} {ratio.median:.3f} ({ratio.low:.3f} to {ratio.high:.3f}), {ratio.n} pairs"
    if ratio.low > 1 and ratio.median >= 1 + LEAST_EFFECT:
        return Verdict(Conclusion.GAIN, told)
    if ratio.high < 1 and ratio.median <= 1 - LEAST_EFFECT:
        return Verdict(Conclusion.LOSS, told)
    if ratio.low >= 1 - SAME_WITHIN and ratio.high <= 1 + SAME_WITHIN:
        return Verdict(Conclusion.NO_GAIN, told)
    return Verdict(
        Conclusion.REFUSED,
        f"the rounds disagree: {told}; measure on a quieter machine, or more and longer rounds",
    )
