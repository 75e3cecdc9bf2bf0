"""Nearest-rank quantiles."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stallscope.statistics.quantiles import nearest_rank


@pytest.mark.parametrize(
    ("counted", "share", "value"),
    [
        ([(0, 0), (3, 98), (200, 2)], 0.50, 3),
        ([(0, 0), (3, 99), (200, 1)], 0.99, 3),
        ([(0, 0), (3, 98), (200, 2)], 0.99, 200),
        ([(1, 0), (5, 1)], 0.5, 5),
        ([(1, 999), (9, 1)], 0.999, 1),
    ],
)
def test_known_ranks(counted: list[tuple[int, int]], share: float, value: int) -> None:
    assert nearest_rank(counted, share) == value


def test_no_values_have_no_quantile() -> None:
    assert nearest_rank([], 0.5) is None
    assert nearest_rank([(3, 0)], 0.5) is None


@given(st.lists(st.integers(0, 50), min_size=1), st.integers(1, 100))
def test_a_quantile_is_the_value_at_its_rank(values: list[int], percent: int) -> None:
    rank = math.ceil(percent * len(values) / 100)
    counted = [(value, values.count(value)) for value in sorted(set(values))]
    assert nearest_rank(counted, percent / 100) == sorted(values)[rank - 1]
