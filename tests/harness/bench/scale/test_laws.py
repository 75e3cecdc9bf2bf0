"""Operational laws on measured data."""

import pytest

from harness.bench.scale.laws import demands, little_checks, utilization_checks
from harness.bench.scale.readings import CountMeasurement, by_count

POINTS = by_count(
    [
        CountMeasurement(1, 100.0, "", 0.0098, 0.5, 0.005),
        CountMeasurement(4, 300.0, "", 0.004, 2.4, 0.005),
        CountMeasurement(8, 320.0, ""),
    ]
)


def test_littles_law_holds_or_is_off() -> None:
    first, second = little_checks(POINTS, 0.0)
    assert first.holds
    assert first.predicted == pytest.approx(0.98)
    assert not second.holds
    assert (second.measured, second.predicted) == (4, pytest.approx(1.2))


def test_littles_law_includes_the_think_time() -> None:
    assert next(little_checks(POINTS, 0.01)).predicted == pytest.approx(1.98)


def test_utilization_is_throughput_times_demand() -> None:
    first, second = utilization_checks(POINTS)
    assert first.holds
    assert second.predicted == pytest.approx(1.5)
    assert not second.holds


def test_demands_grow_against_the_smallest_count() -> None:
    first, second = demands(POINTS)
    assert first.growth == 1
    assert second.demand_s == pytest.approx(0.008)
    assert second.growth == pytest.approx(1.6)
