import numpy as np
import pytest

from topdown.requests.mean_differences import mean_differences


def test_the_interval_contains_the_true_difference_in_most_samples() -> None:
    random = np.random.default_rng(3)
    hits = 0
    for _ in range(40):
        values = np.concatenate([random.exponential(5, 60), random.exponential(2, 400)])
        slow = np.arange(460) < 60
        (row,) = mean_differences(values[:, None], slow, ~slow)
        hits += row.low <= 3 <= row.high
    assert hits >= 33


def test_large_classes_have_intervals_as_narrow_as_their_error() -> None:
    values = np.random.default_rng(1).normal(10, 2, 20_000)
    slow = np.arange(20_000) < 10_000
    (row,) = mean_differences(values[:, None], slow, ~slow)
    assert row.high - row.low == pytest.approx(2 * 1.96 * 2 * np.sqrt(2 / 10_000), rel=0.2)


def test_an_empty_class_has_no_differences() -> None:
    none = np.zeros(3, np.bool_)
    assert mean_differences(np.ones((3, 1)), none, ~none) == []
