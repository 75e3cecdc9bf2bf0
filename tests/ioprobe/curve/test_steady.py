"""Where a series of rates settles, and where it does not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ioprobe.curve.readings import Reading
from ioprobe.curve.steady import Course, settled, settling


def reading(series: list[float]) -> Reading:
    return Reading(8, 0, len(series) / 10, float(np.mean(series)), None, ((999, 1001, 10),),
                   tuple(series), 0.0, 0.0)  # fmt: skip


@pytest.mark.parametrize(
    ("series", "course", "steps"),
    [
        ([100.0] * 20, Course.STEADY, 0),
        ([20.0] * 4 + [100.0] * 16, Course.RISES, 4),
        ([300.0] * 7 + [100.0] * 13, Course.FALLS, 7),
        ([95.0] * 10 + [100.0] * 10, Course.STEADY, 0),  # too little to matter
        ([100.0, 300.0] * 10, Course.STEADY, 0),  # up and down, no level
        ([1.0] * 7, Course.UNKNOWN, 0),
        ([0.0] * 20, Course.STEADY, 0),
        ([], Course.UNKNOWN, 0),
    ],
)
def test_the_course_of_a_series(series: list[float], course: Course, steps: int) -> None:
    found = settling(series)
    assert (found.course, found.steps) == (course, steps)


@given(st.lists(st.floats(0, 1e9), max_size=60))
def test_levels_lie_within_the_series(series: list[float]) -> None:
    found = settling(series)
    if series:
        assert min(series) * (1 - 1e-9) <= found.before <= max(series) * (1 + 1e-9)
        assert min(series) * (1 - 1e-9) <= found.after <= max(series) * (1 + 1e-9)


def test_noise_has_no_change() -> None:
    draw = np.random.default_rng(3)
    courses = [settling(draw.normal(100, 30, 20)).course for _ in range(2000)]
    assert courses.count(Course.STEADY) == len(courses)


def test_a_reading_stands_at_its_steady_level() -> None:
    assert settled(reading([20.0] * 4 + [100.0] * 16)).iops == 100
    assert not settled(reading([20.0] * 4 + [100.0] * 16)).failed
    assert settled(reading([100.0] * 20)) == reading([100.0] * 20)


def test_a_reading_that_is_warm_up_for_long_is_masked() -> None:
    found = settled(reading([20.0] * 8 + [100.0] * 12))
    assert found.failed == ("still warming up for 0.8 of 2.0 s",)
