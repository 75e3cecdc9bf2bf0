"""Medians and their order-statistic intervals."""

import doctest
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stallscope.statistics import estimate
from stallscope.statistics.estimate import (
    Estimate,
    median_estimate,
    min_sample_size,
    missing,
    trimmed_values,
)


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=40))
def test_the_interval_contains_the_median_and_consists_of_values(values: list[float]) -> None:
    result = median_estimate(values)
    assert result.low <= result.median <= result.high
    assert {result.low, result.high} <= set(values)
    assert result.n == len(values)


@pytest.mark.parametrize("confidence", [0.9, 0.9375, 0.95, 0.99])
@pytest.mark.parametrize("n", range(5, 30))
def test_the_interval_has_at_least_the_stated_confidence(n: int, confidence: float) -> None:
    result = median_estimate([float(value) for value in range(n)], confidence=confidence)
    outside = 2 * sum(math.comb(n, k) for k in range(int(result.low) + 1)) / 2**n
    assert 1 - outside >= confidence - 1e-9 or result.warnings
    assert bool(result.warnings) == (n < min_sample_size(confidence))


def test_the_interval_covers_the_true_median_at_the_stated_rate() -> None:
    generator = random.Random(3)
    results = [median_estimate([generator.expovariate(1) for _ in range(15)]) for _ in range(2000)]
    covered = sum(result.is_within(-1, 1e9) and result.low <= math.log(2) <= result.high
                  for result in results)  # fmt: skip
    assert covered / len(results) > 0.94


def test_the_smallest_samples_are_those_of_benchstat() -> None:
    assert min_sample_size(0.95) == 6
    assert min_sample_size(1 - 2 / 2**5) == 5


def test_too_few_values_give_their_range_and_a_warning() -> None:
    result = median_estimate([3.0, 1.0, 2.0])
    assert (result.median, result.low, result.high) == (2, 1, 3)
    assert result.warnings == (
        "the interval is the range of 3 values; an interval of 95 % needs at least 6",
    )


def test_no_values_give_no_estimate_but_a_reason() -> None:
    assert median_estimate([]) == missing("no value was measured")
    assert median_estimate([]).median is None


def test_an_interval_is_compared_as_a_whole() -> None:
    result = Estimate(1.5, 1.2, 1.7, 7)
    assert result.is_above(1.1)
    assert not result.is_above(1.2)
    assert result.is_below(1.8)
    assert not result.is_below(1.7)
    assert result.is_within(1.2, 1.7)
    assert not result.is_within(1.3, 1.7)
    unknown = missing("not measured")
    assert not unknown.is_above(0)
    assert not unknown.is_below(0)
    assert not unknown.is_within(0, 1)


def test_the_reciprocal_swaps_the_ends() -> None:
    assert Estimate(2.0, 1.0, 4.0, 7).reciprocal() == Estimate(0.5, 0.25, 1.0, 7)
    assert Estimate(2.0, 0.0, 4.0, 7).reciprocal().median is None


def test_the_examples_of_the_module_hold() -> None:
    assert doctest.testmod(estimate).failed == 0


def test_a_large_sample_trims_as_the_normal_approximation_does() -> None:
    n = 60_000
    assert trimmed_values(n, 0.95) == pytest.approx(n / 2 - 1.96 * math.sqrt(n) / 2, abs=2)
