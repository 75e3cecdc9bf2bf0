"""Readings at counts."""

import math

import pytest

from harness.bench.scale.readings import CountMeasurement, by_count, check_reading
from stallscope.errors import RecordingError


def test_readings_of_a_count_are_summarized() -> None:
    single, two = by_count(
        [
            CountMeasurement(2, 20.0, "c"),
            CountMeasurement(1, 10.0, "a", 0.1, 0.5, 0.05),
            CountMeasurement(1, 30.0, "b", 0.2, 0.7, 0.07),
        ]
    )
    assert (single.count, two.count) == (1, 2)
    assert single.throughputs == (10.0, 30.0)
    assert single.response_s == pytest.approx((10 * 0.1 + 30 * 0.2) / 40)
    assert single.busy == pytest.approx(0.6)
    assert single.demand_s == pytest.approx(0.06)
    assert (two.response_s, two.busy, two.demand_s) == (None, None, None)


@pytest.mark.parametrize(
    ("reading", "message"),
    [
        (CountMeasurement(1, math.nan, "t.csv:2"), "t.csv:2: throughput nan"),
        (CountMeasurement(1, -5, "t.csv:2"), "throughput -5"),
        (CountMeasurement(0, 5, "t.csv:2"), "count 0"),
        (CountMeasurement(1, math.inf, "t.csv:2"), "throughput inf"),
        (CountMeasurement(1, 1, "t.csv:2", -1.0), "response time -1"),
        (CountMeasurement(1, 1, "t.csv:2", None, math.nan), "busy servers nan"),
    ],
)  # fmt: skip
def test_impossible_readings_are_named_with_their_place(reading, message) -> None:
    with pytest.raises(RecordingError, match=message):
        check_reading(reading)
