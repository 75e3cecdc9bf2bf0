"""Whether two samples differ, by ranks alone, and Holm's correction where many were compared.

Nothing is assumed of the values' distribution; outliers stay in. Sources: Mann and Whitney, On a
test of whether one of two random variables is stochastically larger than the other, 1947; Holm, A
simple sequentially rejective multiple test procedure, 1979.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

ALPHA = 0.05
MOST_EXACT = 50  # values of both samples together; their ways of being split fit a double exactly


@dataclass(frozen=True, slots=True)
class RankTest:
    """Mann and Whitney's U of the first sample, and the two-sided p; ``exact``: not normal's."""

    u: float
    p: float
    exact: bool


def mann_whitney(one: Sequence[float], other: Sequence[float]) -> RankTest | None:
    """Return the two-sided U test of two samples; None where one is empty.

    Exact, ties included, up to MOST_EXACT values together: the share of all splits of these values
    whose rank sum lies at least as far from its mean. Beyond that the normal approximation with
    corrections for ties and continuity.
    """
    if not one or not other:
        return None
    doubled = _doubled_ranks([*one, *other])
    rank_sum = sum(doubled[: len(one)])
    u = rank_sum / 2 - len(one) * (len(one) + 1) / 2
    if len(doubled) <= MOST_EXACT:
        return RankTest(u, _exact_p(doubled, len(one), rank_sum), exact=True)
    return RankTest(u, _normal_p(doubled, len(one), rank_sum), exact=False)


def _doubled_ranks(values: Sequence[float]) -> list[int]:
    """Return twice each value's rank from 1, so that the mean rank of equals is whole."""
    places = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0] * len(values)
    before = 0
    for _, equals in groupby(places, key=values.__getitem__):
        tied = list(equals)
        for place in tied:
            ranks[place] = 2 * before + len(tied) + 1
        before += len(tied)
    return ranks


def _exact_p(doubled: Sequence[int], size: int, rank_sum: int) -> float:
    """Return the share of the ways to take ``size`` ranks that lie as far from the mean."""
    import numpy as np  # noqa: PLC0415 - start-up stays light

    # ways[k, s]: how many sets of k ranks have the sum s.
    ways = np.zeros((size + 1, sum(doubled) + 1))
    ways[0, 0] = 1
    for rank in doubled:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank].copy()
    # Sums are of doubled ranks, and their mean size * (n + 1): all whole.
    mean = size * (len(doubled) + 1)
    far = np.abs(np.arange(ways.shape[1]) - mean) >= abs(rank_sum - mean)
    return float(ways[size, far].sum() / math.comb(len(doubled), size))


def _normal_p(doubled: Sequence[int], size: int, rank_sum: int) -> float:
    n = len(doubled)
    ties = sum(t**3 - t for t in (len(list(each)) for _, each in groupby(sorted(doubled))))
    variance = size * (n - size) / 12 * (n + 1 - ties / (n * (n - 1)))
    if variance <= 0:
        return 1.0
    distance = max(0.0, abs(rank_sum - size * (n + 1)) / 2 - 0.5)
    return math.erfc(distance / math.sqrt(2 * variance))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return each p corrected for all having been looked at, in the order given."""
    adjusted = [0.0] * len(p_values)
    least = 0.0
    for done, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        least = max(least, min(1.0, p_values[place] * (len(p_values) - done)))
        adjusted[place] = least
    return adjusted


def least_size(comparisons: int) -> int:
    """Return the size of two equal samples from which so many comparisons can show a difference.

    The least p that samples of n without ties can have is 2 / C(2n, n).
    """
    size = 1
    while 2 / math.comb(2 * size, size) * max(1, comparisons) > ALPHA:
        size += 1
    return size
