"""Wilcoxon's signed-rank test of paired differences, its estimate and its bounds.

The test assumes that differences are symmetric around their median. Sources: Wilcoxon, Individual
comparisons by ranking methods, 1945; Hodges and Lehmann, Estimates of location based on rank tests,
1963. scipy.stats is not used: its import takes longer than a comparison.

    >>> round(signed_rank_p([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 4)
    0.0156
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import groupby

_MAX_EXACT = 60  # differences; above it the normal approximation is within 1e-3
_BISECTIONS = 60


def signed_rank_p(differences: Sequence[float], shift: float = 0.0) -> float:
    """Return the one-sided p-value for a median above ``shift``; 1 without differences.

    It is exact up to 60 differences, also with ties; differences equal to the shift are left out.
    """
    shifted = sorted((value - shift for value in differences if value != shift), key=abs)
    if not shifted:
        return 1.0
    ranks = _doubled_ranks([abs(value) for value in shifted])
    statistic = sum(rank for rank, value in zip(ranks, shifted, strict=True) if value > 0)
    if len(ranks) <= _MAX_EXACT:
        return _upper_tail(tuple(ranks))[statistic]
    mean = sum(ranks) / 2
    deviation = math.sqrt(sum(rank * rank for rank in ranks)) / 2
    return 0.5 * math.erfc((statistic - mean - 1) / deviation / math.sqrt(2))


def _doubled_ranks(magnitudes: Sequence[float]) -> list[int]:
    """Return twice the rank of sorted values; equal values share their mean rank."""
    ranks: list[int] = []
    for _, equals in groupby(magnitudes):
        tied = len(list(equals))
        ranks += [2 * len(ranks) + tied + 1] * tied
    return ranks


@lru_cache(maxsize=64)
def _upper_tail(ranks: tuple[int, ...]) -> tuple[float, ...]:
    """Return, by rank sum, the probability of at least this sum."""
    import numpy as np  # noqa: PLC0415 - start-up stays light

    probability = np.zeros(sum(ranks) + 1)
    probability[0] = 1.0
    for rank in ranks:
        shifted = np.zeros_like(probability)
        shifted[rank:] = probability[: probability.size - rank]
        probability = (probability + shifted) / 2
    return tuple(np.minimum(1.0, np.cumsum(probability[::-1])[::-1]).tolist())


def critical_rank_sum(count: int, level: float) -> float:
    """Return the smallest sum of positive ranks that the test rejects; inf if it rejects none.

    Of ``count`` differences without ties.

    >>> critical_rank_sum(6, 0.025)
    21.0
    """
    tail = _upper_tail(tuple(range(2, 2 * count + 1, 2)))
    return next((total / 2 for total, p in enumerate(tail) if p <= level), math.inf)


def hodges_lehmann(differences: Sequence[float]) -> float:
    """Return the median of all means of two differences; NaN without differences."""
    import numpy as np  # noqa: PLC0415 - start-up stays light

    values = np.asarray(differences, dtype=float)
    if not values.size:
        return math.nan
    rows, columns = np.triu_indices(values.size)
    return float(np.median((values[rows] + values[columns]) / 2))


def lower_bound(differences: Sequence[float], level: float) -> float:
    """Return the largest shift that the one-sided test at this level rejects; -inf if none is."""
    return largest_rejected(differences, lambda shift: signed_rank_p(differences, shift) <= level)


def upper_bound(differences: Sequence[float], level: float) -> float:
    """Return the smallest shift that the test in the other direction rejects; inf if none is."""
    return -lower_bound([-value for value in differences], level)


def largest_rejected(values: Sequence[float], is_rejected: Callable[[float], bool]) -> float:
    """Return the largest shift that a monotone test rejects, within 1e-15 of the values' range.

    -inf if it does not even reject a shift below all values.
    """
    if not values:
        return -math.inf
    low, high = min(values), max(values)
    width = (high - low) or abs(high) or 1.0
    low, high = low - width, high + width
    if not is_rejected(low):
        return -math.inf
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if is_rejected(middle):
            low = middle
        else:
            high = middle
    return low
