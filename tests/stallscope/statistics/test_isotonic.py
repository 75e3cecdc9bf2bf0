"""Monotone regression."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stallscope.statistics.isotonic import isotonic_regression


def test_falling_neighbours_share_their_mean() -> None:
    assert isotonic_regression([1.0, 3.0, 2.0, 4.0]) == pytest.approx([1, 2.5, 2.5, 4])
    assert isotonic_regression([3.0, 2.0, 1.0]) == pytest.approx([2, 2, 2])
    assert isotonic_regression([]) == []


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_the_result_never_falls_and_keeps_the_sum(values: list[float]) -> None:
    fitted = isotonic_regression(values)
    assert all(left <= right for left, right in itertools.pairwise(fitted))
    assert sum(fitted) == pytest.approx(sum(values), abs=1e-3)
