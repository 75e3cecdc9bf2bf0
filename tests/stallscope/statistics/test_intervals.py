"""Intervals of averages and shares compared with published tables and scipy."""

import statistics

import pytest

from stallscope.statistics.intervals import (
    NORMAL_95,
    mean_interval,
    student_t_95,
    wilson_interval,
)


def test_the_normal_quantile_is_that_of_the_standard_library() -> None:
    assert pytest.approx(statistics.NormalDist().inv_cdf(0.975), abs=1e-12) == NORMAL_95


@pytest.mark.parametrize("degrees", [*range(1, 40), 100, 1000])
def test_t_quantiles_equal_scipy(degrees: int) -> None:
    special = pytest.importorskip("scipy.special")
    assert student_t_95(degrees) == pytest.approx(special.stdtrit(degrees, 0.975), abs=2e-4)


def test_the_interval_of_a_mean_uses_the_t_quantile() -> None:
    mean, half_width = mean_interval([1.0, 2.0, 3.0])
    assert mean == 2.0
    assert half_width == pytest.approx(4.3027 / 3**0.5)


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    # Newcombe 1998, table I: the score method without continuity correction
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)  # fmt: skip
def test_wilson_intervals_equal_the_published_table(
    count: int, total: int, low: float, high: float
) -> None:
    assert wilson_interval(count, total) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("count", "total"), [(3, 17), (0, 5), (5, 5), (400, 999)])
def test_wilson_intervals_equal_scipy(count: int, total: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    expected = stats.binomtest(count, total).proportion_ci(0.95, method="wilson")
    assert wilson_interval(count, total) == pytest.approx((expected.low, expected.high))


def test_no_samples_leave_the_whole_range() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)
