"""The first level over time: areas, gaps, means of many intervals."""

from dataclasses import replace

import pytest

from harness.topdown.result import topdown_result
from harness.topdown.time_panel import MAX_STEPS, stacked_time
from tests.harness.topdown.measurements import COUNTED, SLICED, slices


def test_a_result_without_intervals_has_no_picture() -> None:
    assert stacked_time(topdown_result(COUNTED)) is None


def test_bars_stay_within_the_picture_and_do_not_overlap() -> None:
    time = stacked_time(topdown_result(SLICED))
    assert time is not None
    assert time.averaged == 1
    for bar in time.bars:
        assert 0 <= bar.left <= bar.left + bar.width <= 1000.001
        assert -0.001 <= bar.top <= bar.top + bar.height <= 100.001
    by_left: dict[float, float] = {}
    for bar in time.bars:
        by_left[bar.left] = by_left.get(bar.left, 0.0) + bar.height
    assert all(total <= 100.001 for total in by_left.values())


def test_many_intervals_are_drawn_as_means() -> None:
    many = stacked_time(topdown_result(replace(SLICED, slices=slices(5000))))
    assert many is not None
    assert many.intervals == 5000
    assert many.averaged == pytest.approx(5000 / MAX_STEPS, abs=1)
    assert len({bar.left for bar in many.bars}) <= MAX_STEPS
