"""Shares of samples and their intervals."""

import math

import pytest

from topdown.slots.without_pmu.shares import Share


@pytest.mark.parametrize(
    ("count", "whole", "low", "high"),
    # Newcombe 1998, table I: the score method without continuity correction
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)  # fmt: skip
def test_intervals_match_published_values(count: int, whole: int, low: float, high: float) -> None:
    interval = Share(count, whole).interval
    assert math.isclose(interval.low, low, abs_tol=5e-5)
    assert math.isclose(interval.high, high, abs_tol=5e-5)


def test_no_samples_give_no_share() -> None:
    assert Share(0, 0).value is None
    assert (Share(0, 0).interval.low, Share(0, 0).interval.high) == (0.0, 1.0)
    assert Share(0, 0).text() == "n/a"


def test_the_text_contains_the_interval() -> None:
    assert Share(81, 263).text() == "30.8 % [25.5 %, 36.6 %]"


def test_the_interval_of_all_samples_ends_at_one() -> None:
    assert Share(10, 10).interval.high == 1.0
