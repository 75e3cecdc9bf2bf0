"""Ratios and differences of pairs."""

import pytest

from stallscope.statistics.pairs import paired_differences, paired_ratios


def test_pairs_without_two_values_are_dropped() -> None:
    assert paired_ratios([2.0, None, 3.0, 1.0], [1.0, 1.0, None, 0.0]) == [2.0]
    assert paired_differences([2.0, None, 3.0, 1.0], [1.0, 1.0, None, 0.0]) == [1.0, 1.0]


def test_pairs_of_different_lengths_are_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        paired_ratios([1.0], [])
