"""A test in two stages of fresh data, with one rate of false alarms over both.

After the first stage the test ends with a rejection if p1 <= FIRST_LEVEL, and without one if
p1 > FUTILITY. After the second stage it rejects if p1 * p2 <= PRODUCT. The rate is ALPHA, provided
that both p-values are uniform and independent without an effect. Looking at growing data again and
again has a rate of 7 to 8 % at the same nominal level. Source: Bauer and Koehne, Evaluation of
experiments with adaptive interim analyses, 1994.
"""

import math
from collections.abc import Sequence

from stallscope.statistics.signed_ranks import largest_rejected, signed_rank_p

ALPHA = 0.025
FUTILITY = 0.5
PRODUCT = (
    0.0038043  # exp(-q / 2) with q the 0.975 quantile of chi-squared with 4 degrees of freedom
)


def _first_level() -> float:
    """Return the level x of the first stage: x + PRODUCT * ln(FUTILITY / x) = ALPHA."""
    low, high = PRODUCT, ALPHA
    for _ in range(60):
        middle = (low + high) / 2
        if middle + PRODUCT * math.log(FUTILITY / middle) < ALPHA:
            low = middle
        else:
            high = middle
    return low


FIRST_LEVEL = _first_level()  # 0.0102


def rejects(first_p: float, second_p: float | None = None) -> bool:
    """Return whether the test rejects after one stage or after both."""
    if first_p <= FIRST_LEVEL:
        return True
    return second_p is not None and first_p <= FUTILITY and first_p * second_p <= PRODUCT


def overall_p(first_p: float, second_p: float | None = None) -> float:
    """Return the p-value of both stages together; that of the first if the test ended there."""
    if second_p is None or first_p <= FIRST_LEVEL or first_p > FUTILITY:
        return first_p
    product = first_p * second_p
    if product <= FIRST_LEVEL:
        return FIRST_LEVEL + product * math.log(FUTILITY / FIRST_LEVEL)
    return min(1.0, product + product * math.log(FUTILITY / product))


def two_stage_bound(first: Sequence[float], second: Sequence[float] = ()) -> float:
    """Return the largest shift that the test rejects: the lower bound of the median difference."""

    def is_rejected(shift: float) -> bool:
        second_p = signed_rank_p(second, shift) if second else None
        return rejects(signed_rank_p(first, shift), second_p)

    return largest_rejected([*first, *second], is_rejected)
