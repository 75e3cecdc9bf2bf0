"""The signed-rank test: against scipy, exact with ties, with bounds that invert it."""

import math
import random

import pytest
from scipy import stats

from stallscope.statistics.signed_ranks import (
    hodges_lehmann,
    lower_bound,
    signed_rank_p,
    upper_bound,
)


@pytest.mark.parametrize("n", [6, 20, 50])
def test_p_values_are_those_of_scipy(n: int) -> None:
    generator = random.Random(n)
    values = [generator.gauss(0.3, 1) for _ in range(n)]
    expected = stats.wilcoxon(values, alternative="greater", method="exact").pvalue
    assert signed_rank_p(values) == pytest.approx(expected, rel=1e-9)


def test_many_differences_use_the_normal_approximation() -> None:
    generator = random.Random(1)
    values = [generator.gauss(0.1, 1) for _ in range(100)]
    expected = stats.wilcoxon(values, alternative="greater", method="approx", correction=True)
    assert signed_rank_p(values) == pytest.approx(expected.pvalue, rel=1e-6)


def test_ties_have_an_exact_p_value() -> None:
    # Ranks 1.5, 1.5, 3: sums of at least 4.5 are {1.5, 3} twice and {1.5, 1.5, 3}.
    assert signed_rank_p([1.0, -1.0, 2.0]) == pytest.approx(3 / 8)
    assert signed_rank_p([0.0, 0.0]) == 1.0
    assert signed_rank_p([]) == 1.0


def test_six_differences_are_the_fewest_that_reach_the_level() -> None:
    assert signed_rank_p([1.0, 2, 3, 4, 5]) > 0.025
    assert signed_rank_p([1.0, 2, 3, 4, 5, 6]) < 0.025


def test_the_estimate_is_the_median_of_means() -> None:
    assert hodges_lehmann([1.0, 2.0, 6.0]) == 2.75
    assert math.isnan(hodges_lehmann([]))


def test_bounds_contain_the_median_at_their_rate() -> None:
    generator = random.Random(2)
    above = below = 0
    for _ in range(400):
        values = [generator.gauss(1, 1) for _ in range(12)]
        above += lower_bound(values, 0.025) > 1
        below += upper_bound(values, 0.025) < 1
    assert above <= 20
    assert below <= 20


def test_the_bound_is_positive_exactly_if_the_test_rejects_zero() -> None:
    generator = random.Random(3)
    for _ in range(50):
        values = [generator.gauss(0.5, 1) for _ in range(10)]
        assert (lower_bound(values, 0.025) > 0) == (signed_rank_p(values) <= 0.025)


def test_too_few_differences_have_no_bound() -> None:
    assert lower_bound([1.0, 2.0], 0.025) == -math.inf
    assert upper_bound([], 0.025) == math.inf
