"""The Mann-Whitney U test, exact for small samples with or without ties.

It assumes nothing about the distribution, and no outliers are removed. It is not scipy's because
scipy.stats.mannwhitneyu has no exact p-value for samples with ties, and importing scipy.stats takes
longer than most comparisons. Source: Mann and Whitney, On a test of whether one of two random
variables is stochastically larger than the other, 1947.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

MAX_EXACT_VALUES = 50  # of both samples together; the number of splits is then exact in a double


@dataclass(frozen=True, slots=True)
class RankTest:
    """The U statistic of the first sample and the two-sided p-value.

    ``exact`` is False if the p-value is the normal approximation.
    """

    u: float
    p: float
    exact: bool


def mann_whitney(first: Sequence[float], second: Sequence[float]) -> RankTest | None:
    """Return the two-sided U test of two samples; None if a sample is empty.

    Up to MAX_EXACT_VALUES values the p-value is exact, also with ties: the share of all splits of
    the values whose rank sum is at least as far from its mean. Above that it is the normal
    approximation with corrections for ties and continuity.
    """
    if not first or not second:
        return None
    doubled_ranks = _doubled_ranks([*first, *second])
    rank_sum = sum(doubled_ranks[: len(first)])
    u = rank_sum / 2 - len(first) * (len(first) + 1) / 2
    if len(doubled_ranks) <= MAX_EXACT_VALUES:
        return RankTest(u, _exact_p(doubled_ranks, len(first), rank_sum), exact=True)
    return RankTest(u, _normal_p(doubled_ranks, len(first), rank_sum), exact=False)


def _doubled_ranks(values: Sequence[float]) -> list[int]:
    """Return twice the rank of each value, from 1, so that the mean rank of ties is an integer."""
    places = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0] * len(values)
    before = 0
    for _, equals in groupby(places, key=values.__getitem__):
        tied = list(equals)
        for index in tied:
            ranks[index] = 2 * before + len(tied) + 1
        before += len(tied)
    return ranks


def _exact_p(doubled_ranks: Sequence[int], size: int, rank_sum: int) -> float:
    """Return the share of subsets of ``size`` ranks at least as far from the mean rank sum."""
    import numpy as np  # noqa: PLC0415 - start-up stays light

    # subsets[k, s]: number of sets of k ranks with the sum s
    subsets = np.zeros((size + 1, sum(doubled_ranks) + 1))
    subsets[0, 0] = 1
    for rank in doubled_ranks:
        subsets[1:, rank:] += subsets[:-1, : subsets.shape[1] - rank].copy()
    # Doubled ranks sum to size * (n + 1) on average, which is an integer.
    mean = size * (len(doubled_ranks) + 1)
    extreme = np.abs(np.arange(subsets.shape[1]) - mean) >= abs(rank_sum - mean)
    return float(subsets[size, extreme].sum() / math.comb(len(doubled_ranks), size))


def _normal_p(doubled_ranks: Sequence[int], size: int, rank_sum: int) -> float:
    n = len(doubled_ranks)
    tie_sizes = [len(list(ties)) for _, ties in groupby(sorted(doubled_ranks))]
    tie_term = sum(ties**3 - ties for ties in tie_sizes)
    variance = size * (n - size) / 12 * (n + 1 - tie_term / (n * (n - 1)))
    if variance <= 0:
        return 1.0
    distance = max(0.0, abs(rank_sum - size * (n + 1)) / 2 - 0.5)
    return math.erfc(distance / math.sqrt(2 * variance))
