"""Changes of level in series of rates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ioprobe.curve.readings import DepthReading
from ioprobe.curve.steady import Trend, at_steady_level, find_level_change


def reading(series: list[float]) -> DepthReading:
    return DepthReading(8, 0, len(series) / 10, float(np.mean(series)), None, ((999, 1001, 10),),
                   tuple(series), 0.0, 0.0)  # fmt: skip


@pytest.mark.parametrize(
    ("series", "trend", "steps"),
    [
        ([100.0] * 20, Trend.STEADY, 0),
        ([20.0] * 4 + [100.0] * 16, Trend.RISES, 4),
        ([300.0] * 7 + [100.0] * 13, Trend.FALLS, 7),
        ([95.0] * 10 + [100.0] * 10, Trend.STEADY, 0),  # below the minimum change
        ([100.0, 300.0] * 10, Trend.STEADY, 0),  # alternating, without a level
        ([1.0] * 7, Trend.UNKNOWN, 0),
        ([0.0] * 20, Trend.STEADY, 0),
        ([], Trend.UNKNOWN, 0),
    ],
)
def test_a_series_has_a_trend_and_a_change(series: list[float], trend: Trend, steps: int) -> None:
    change = find_level_change(series)
    assert (change.trend, change.steps) == (trend, steps)


@given(st.lists(st.floats(0, 1e9), max_size=60))
def test_levels_lie_within_the_series(series: list[float]) -> None:
    change = find_level_change(series)
    if series:
        assert min(series) * (1 - 1e-9) <= change.before <= max(series) * (1 + 1e-9)
        assert min(series) * (1 - 1e-9) <= change.after <= max(series) * (1 + 1e-9)


def test_noise_has_no_change() -> None:
    draw = np.random.default_rng(3)
    trends = [find_level_change(draw.normal(100, 30, 20)).trend for _ in range(2000)]
    assert trends.count(Trend.STEADY) == len(trends)


def test_a_reading_gets_its_steady_throughput() -> None:
    assert at_steady_level(reading([20.0] * 4 + [100.0] * 16)).iops == 100
    assert not at_steady_level(reading([20.0] * 4 + [100.0] * 16)).failed
    assert at_steady_level(reading([100.0] * 20)) == reading([100.0] * 20)


def test_a_reading_with_a_long_warm_up_is_masked() -> None:
    masked = at_steady_level(reading([20.0] * 8 + [100.0] * 12))
    assert masked.failed == ("warm-up took 0.8 of 2.0 s",)
