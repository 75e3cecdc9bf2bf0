"""Corrections for several tests of one question.

Source: Holm, A simple sequentially rejective multiple test procedure, 1979.
"""

import math
from collections.abc import Sequence

ALPHA = 0.05


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values adjusted by Holm's method, in the order of the input."""
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - rank)))
        adjusted[index] = largest
    return adjusted


def min_group_size(comparisons: int = 1) -> int:
    """Return the smallest size of two equal samples for which a U test can reach ALPHA.

    The smallest p-value of two samples of n values without ties is 2 / C(2n, n); Holm's correction
    multiplies the smallest of several p-values by their number.
    """
    size = 1
    while 2 / math.comb(2 * size, size) * max(1, comparisons) > ALPHA:
        size += 1
    return size
