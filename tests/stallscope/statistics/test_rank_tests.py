"""Rank tests against known answers and against every split written out."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stallscope.statistics.rank_tests import MOST_EXACT, holm, least_size, mann_whitney


def p_of(one, other) -> float:
    found = mann_whitney(one, other)
    assert found is not None
    assert found.exact
    return found.p


def test_samples_that_lie_apart_have_the_least_p() -> None:
    assert p_of([1, 2, 3, 4, 5], [6, 7, 8, 9]) == pytest.approx(2 / 126)
    assert p_of([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]) == pytest.approx(2 / 252)
    assert p_of([6, 7, 8, 9, 10], [1, 2, 3, 4, 5]) == pytest.approx(2 / 252)


def test_the_u_of_mann_and_whitneys_tables() -> None:
    # Their table I: n = 3 and m = 4, U <= 1 by chance in 2 of 35 orders.
    found = mann_whitney([1, 2, 4], [3, 5, 6, 7])
    assert found is not None
    assert found.u == 1
    assert found.p == pytest.approx(2 * 2 / 35)


def test_equal_samples_show_nothing() -> None:
    assert p_of([5, 5, 5], [5, 5, 5, 5]) == 1.0
    assert mann_whitney([], [1.0]) is None


def every_split(one, other) -> float:
    values = sorted([*one, *other])
    rank = {v: sum(i + 1 for i, w in enumerate(values) if w == v) / values.count(v) for v in values}
    mean = len(one) * (len(values) + 1) / 2
    distance = abs(sum(rank[value] for value in one) - mean)
    splits = [
        sum(rank[values[place]] for place in places)
        for places in itertools.combinations(range(len(values)), len(one))
    ]
    return sum(abs(split - mean) >= distance - 1e-9 for split in splits) / len(splits)


FEW = st.lists(st.integers(0, 6), min_size=1, max_size=5)


@given(FEW, FEW)
def test_ties_are_exact_too(one: list[int], other: list[int]) -> None:
    assert p_of(one, other) == pytest.approx(every_split(one, other))


def test_the_normal_approximation_meets_the_exact_one() -> None:
    one = [float(each * 7 % 31) for each in range(MOST_EXACT // 2)]
    other = [each + 6.5 for each in one]
    exact = mann_whitney(one, other)
    approximate = mann_whitney([*one, 3.3], [*other, 9.8])
    assert exact is not None
    assert approximate is not None
    assert exact.exact
    assert not approximate.exact
    assert approximate.p == pytest.approx(exact.p, rel=0.2)


def test_many_values_that_are_equal() -> None:
    found = mann_whitney([1.0] * 40, [1.0] * 40)
    assert found is not None
    assert found.p == 1.0


def test_holm_corrects_in_order() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_how_many_it_takes() -> None:
    assert least_size(1) == 4  # 2/70
    assert least_size(3) == 5  # 6/252
    assert least_size(6) == 5  # 12/252 = 0.048
    assert least_size(7) == 6
