"""The test in two stages: its constants, its rate, and the bound that inverts it."""

import math
import random

import pytest
from scipy import stats

from stallscope.statistics.two_stages import (
    ALPHA,
    FIRST_LEVEL,
    FUTILITY,
    PRODUCT,
    overall_p,
    rejects,
    two_stage_bound,
)


def test_the_constants_are_those_of_the_source() -> None:
    assert pytest.approx(math.exp(-stats.chi2.ppf(0.975, 4) / 2), rel=1e-3) == PRODUCT
    assert pytest.approx(0.0102, abs=5e-5) == FIRST_LEVEL


def test_uniform_p_values_reject_at_the_nominal_rate() -> None:
    generator = random.Random(1)
    trials = 40_000
    count = 0
    for _ in range(trials):
        first = generator.random()
        second = generator.random() if FIRST_LEVEL < first <= FUTILITY else None
        count += rejects(first, second)
    assert count / trials == pytest.approx(ALPHA, abs=0.003)


def test_the_overall_p_value_agrees_with_the_rejection() -> None:
    for first in (0.001, 0.05, 0.3, 0.7):
        for second in (0.001, 0.01, 0.05, 0.5, 1.0):
            assert rejects(first, second) == (overall_p(first, second) <= ALPHA + 1e-6)
    assert overall_p(0.4) == 0.4


def test_the_bound_is_positive_exactly_if_zero_is_rejected() -> None:
    assert two_stage_bound([1.0, 2, 3, 4, 5, 6, 7, 8]) > 0
    assert two_stage_bound([1.0, 2, 3, -4, 5, 6], [1.0, 2, 3, 4, 5, 6, 7, 8]) > 0
    assert two_stage_bound([1.0, -2, 3, -4, 5, -6]) < 0
    assert two_stage_bound([]) == -math.inf
