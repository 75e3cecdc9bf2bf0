"""Bootstrap intervals."""

import numpy as np
import pytest

from stallscope.statistics.bootstrap import percentile_interval

VALUES = np.array([2.1, 2.4, 1.9, 2.2, 2.8, 2.0, 2.3, 2.5, 2.2, 2.6])


def test_the_interval_of_a_mean_is_close_to_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    expected = stats.bootstrap(
        (VALUES,), np.mean, method="percentile", n_resamples=9999, random_state=1
    ).confidence_interval
    resampled = np.random.default_rng(20).choice(VALUES, (9999, len(VALUES)))
    interval = percentile_interval(resampled.mean(axis=1), float(VALUES.mean()))
    assert interval == pytest.approx((expected.low, expected.high), rel=0.01)


def test_the_interval_contains_the_measured_value() -> None:
    assert percentile_interval(np.array([1.0, 2.0, 3.0]), 9.0)[1] == 9.0
    assert percentile_interval(np.array([1.0, 2.0, 3.0]), 0.5)[0] == 0.5
