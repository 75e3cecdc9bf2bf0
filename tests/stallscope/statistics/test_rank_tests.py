"""The U test against published values, a brute-force computation, and scipy."""

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stallscope.statistics.rank_tests import MAX_EXACT_VALUES, mann_whitney


def exact_p(first: Sequence[float], second: Sequence[float]) -> float:
    test = mann_whitney(first, second)
    assert test is not None
    assert test.exact
    return test.p


def test_separated_samples_have_the_smallest_possible_p_value() -> None:
    assert exact_p([1, 2, 3, 4, 5], [6, 7, 8, 9]) == pytest.approx(2 / 126)
    assert exact_p([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]) == pytest.approx(2 / 252)
    assert exact_p([6, 7, 8, 9, 10], [1, 2, 3, 4, 5]) == pytest.approx(2 / 252)


def test_u_agrees_with_the_table_of_mann_and_whitney() -> None:
    # Their table I: for n = 3 and m = 4, U <= 1 in 2 of 35 orders.
    test = mann_whitney([1, 2, 4], [3, 5, 6, 7])
    assert test is not None
    assert test.u == 1
    assert test.p == pytest.approx(2 * 2 / 35)


def test_equal_samples_have_p_1() -> None:
    assert exact_p([5, 5, 5], [5, 5, 5, 5]) == 1.0
    many = mann_whitney([1.0] * 40, [1.0] * 40)
    assert many is not None
    assert many.p == 1.0


def test_an_empty_sample_has_no_test() -> None:
    assert mann_whitney([], [1.0]) is None
    assert mann_whitney([1.0], []) is None


def brute_force_p(first: Sequence[float], second: Sequence[float]) -> float:
    """Enumerate every split of the values."""
    values = sorted([*first, *second])
    rank = {v: sum(i + 1 for i, w in enumerate(values) if w == v) / values.count(v) for v in values}
    mean = len(first) * (len(values) + 1) / 2
    distance = abs(sum(rank[value] for value in first) - mean)
    splits = [
        sum(rank[values[place]] for place in places)
        for places in itertools.combinations(range(len(values)), len(first))
    ]
    return sum(abs(split - mean) >= distance - 1e-9 for split in splits) / len(splits)


SMALL_SAMPLES = st.lists(st.integers(0, 6), min_size=1, max_size=5)


@given(SMALL_SAMPLES, SMALL_SAMPLES)
def test_the_exact_p_value_with_ties_equals_brute_force(
    first: list[int], second: list[int]
) -> None:
    assert exact_p(first, second) == pytest.approx(brute_force_p(first, second))


def test_without_ties_the_exact_p_value_equals_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    first = [3.1, 4.7, 5.2, 8.8, 9.4, 1.2]
    second = [2.2, 6.1, 7.3, 10.5, 11.9]
    expected = stats.mannwhitneyu(first, second, method="exact")
    test = mann_whitney(first, second)
    assert test is not None
    assert test.u == expected.statistic
    assert test.p == pytest.approx(expected.pvalue)


def test_the_normal_approximation_equals_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    first = [float(number * 7 % 31) for number in range(40)]
    second = [float(number * 5 % 29) + 3 for number in range(30)]
    expected = stats.mannwhitneyu(first, second, method="asymptotic", use_continuity=True)
    test = mann_whitney(first, second)
    assert test is not None
    assert not test.exact
    assert test.p == pytest.approx(expected.pvalue)


def test_the_normal_approximation_is_close_to_the_exact_p_value() -> None:
    first = [float(number * 7 % 31) for number in range(MAX_EXACT_VALUES // 2)]
    second = [value + 6.5 for value in first]
    exact = mann_whitney(first, second)
    approximate = mann_whitney([*first, 3.3], [*second, 9.8])
    assert exact is not None
    assert approximate is not None
    assert exact.exact
    assert not approximate.exact
    assert approximate.p == pytest.approx(exact.p, rel=0.2)
