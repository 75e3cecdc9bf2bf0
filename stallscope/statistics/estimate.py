"""The median of a sample with its order-statistic interval.

The interval assumes nothing about the distribution: the k-th smallest and k-th largest of n values
contain the median with probability 1 - 2 * P(Binomial(n, 1/2) < k). Source: Conover, Practical
Nonparametric Statistics, 1999, section 3.2.

    >>> median_estimate([1.5, 1.6, 1.4, 1.5, 1.7, 1.6])
    Estimate(median=1.55, low=1.4, high=1.7, n=6, warnings=())
    >>> median_estimate([1.5, 1.6]).warnings
    ('the interval is the range of 2 values; an interval of 95 % needs at least 6',)
"""

import math
import statistics
from collections.abc import Sequence

from stallscope.documents import Count, Number, Record

CONFIDENCE = 0.95
_EXACT_TOSSES = 1000
CONFIDENCE_OF_FIVE = 1 - 2 / 2**5  # 93.75 %: the range of five values


class Estimate(Record, frozen=True, omit_defaults=True):
    """A median with its interval; None, and a warning with the reason, if nothing was measured."""

    median: Number | None
    low: Number | None
    high: Number | None
    n: Count  # values in the sample
    warnings: tuple[str, ...] = ()

    def is_above(self, bound: float) -> bool:
        """Return whether the whole interval lies above the bound; False without an interval."""
        return self.low is not None and self.low > bound

    def is_below(self, bound: float) -> bool:
        """Return whether the whole interval lies below the bound; False without an interval."""
        return self.high is not None and self.high < bound

    def is_within(self, low: float, high: float) -> bool:
        """Return whether the whole interval lies between two bounds, inclusive."""
        if self.low is None or self.high is None:
            return False
        return low <= self.low and self.high <= high

    def reciprocal(self) -> "Estimate":
        """Return the estimate of 1 / value; without a value if the interval reaches zero."""
        if self.median is None or self.low is None or self.high is None or self.low <= 0:
            return missing("a value is not positive", n=self.n)
        return Estimate(1 / self.median, 1 / self.high, 1 / self.low, self.n, self.warnings)


def missing(reason: str, *, n: int = 0) -> Estimate:
    """Return the estimate of a quantity without a value."""
    return Estimate(None, None, None, n, (reason,))


def median_estimate(values: Sequence[float], *, confidence: float = CONFIDENCE) -> Estimate:
    """Return the median with the narrowest symmetric interval of at least this confidence.

    If there are too few values for the confidence, the interval is their range and a warning says
    how many values are needed.
    """
    if not values:
        return missing("no value was measured")
    ordered = sorted(values)
    n = len(ordered)
    trimmed = trimmed_values(n, confidence)
    warnings: tuple[str, ...] = ()
    if n < min_sample_size(confidence):
        warnings = (_range_warning(n, confidence),)
    low, high = ordered[trimmed], ordered[n - 1 - trimmed]
    return Estimate(statistics.median(ordered), low, high, n, warnings)


def _range_warning(n: int, confidence: float) -> str:
    noun = "value" if n == 1 else "values"
    return (
        f"the interval is the range of {n} {noun}; an interval of {confidence * 100:.4g} % "
        f"needs at least {min_sample_size(confidence)}"
    )


def min_sample_size(confidence: float = CONFIDENCE) -> int:
    """Return the smallest sample whose range contains the median with this confidence."""
    return math.ceil(1 - math.log2(1 - confidence) - 1e-9)


def trimmed_values(n: int, confidence: float) -> int:
    """Return the number of values to drop at each end of a sorted sample of n."""
    outside, trimmed = 2 / 2**n, 0
    while trimmed + 1 < n // 2:
        outside += 2 * _binomial_share(n, trimmed + 1)
        if outside > 1 - confidence + 1e-12:
            break
        trimmed += 1
    return trimmed


def _binomial_share(n: int, k: int) -> float:
    """Return the probability of k heads in n tosses; in logarithms if n is large."""
    if n <= _EXACT_TOSSES:
        return float(math.comb(n, k) / 2**n)
    logarithm = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(logarithm - n * math.log(2))
