"""Bootstrap intervals."""

import statistics

import numpy as np
import pytest

from stallscope.statistics.bootstrap import bootstrap_interval, percentile_interval

VALUES = [2.1, 2.4, 1.9, 2.2, 2.8, 2.0, 2.3, 2.5, 2.2, 2.6]


def test_the_seed_fixes_the_interval() -> None:
    first = bootstrap_interval(VALUES, statistics.fmean)
    assert first == bootstrap_interval(VALUES, statistics.fmean)
    assert first != bootstrap_interval(VALUES, statistics.fmean, seed=21)


def test_the_interval_of_a_mean_is_close_to_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    expected = stats.bootstrap(
        (VALUES,), np.mean, method="percentile", n_resamples=9999, random_state=1
    ).confidence_interval
    interval = bootstrap_interval(VALUES, statistics.fmean, replicates=9999)
    assert interval == pytest.approx((expected.low, expected.high), rel=0.01)


def test_the_interval_contains_the_measured_value() -> None:
    assert percentile_interval(np.array([1.0, 2.0, 3.0]), 9.0)[1] == 9.0
    assert percentile_interval(np.array([1.0, 2.0, 3.0]), 0.5)[0] == 0.5
