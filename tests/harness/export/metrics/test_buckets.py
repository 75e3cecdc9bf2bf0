"""The buckets of exported histograms: exact unions of the recorded ones, equal in all recordings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.export.metrics.buckets import exported, exported_rows
from stallscope.histograms import Geometry, Histogram


def histogram_of(values: list[int], geometry: Geometry) -> Histogram:
    places = geometry.places(np.array(values, np.int64))
    return Histogram(geometry, np.bincount(places))


@given(
    st.lists(st.integers(0, 2**45), min_size=1, max_size=60),
    st.sampled_from([Geometry(1, 1), Geometry(1, 3), Geometry(1024, 2), Geometry(1000, 3)]),
)
def test_a_bound_counts_exactly_the_values_up_to_it(values: list[int], geometry: Geometry) -> None:
    result = exported(histogram_of(values, geometry))
    assert result is not None
    assert list(result.bounds) == sorted(set(result.bounds))
    assert result.count == len(values)
    assert result.counts[-1] == 0, "the last bound is above all values"
    below = np.cumsum(result.counts)
    for bound, count in zip(result.bounds, below, strict=False):
        assert count == sum(value <= bound for value in values)


@given(st.lists(st.integers(0, 2**45), min_size=2, max_size=60))
def test_bounds_of_recordings_are_of_one_series(values: list[int]) -> None:
    geometry = Geometry(1, 3)
    first, whole = (exported(histogram_of(rows, geometry)) for rows in (values[:1], values))
    assert first is not None
    assert whole is not None
    common = [bound for bound in first.bounds if whole.bounds[0] <= bound <= whole.bounds[-1]]
    assert set(common) <= set(whole.bounds)


def test_the_sum_and_the_extremes_are_those_of_the_rows() -> None:
    result = exported_rows([(100, 101, 2), (1000, 1003, 0), (4000, 4007, 1)])
    assert result is not None
    assert (result.total, result.smallest, result.largest) == (201 + 4003.5, 100, 4007)
    scaled = result.scaled(1e-9)
    assert scaled.total == pytest.approx(4204.5e-9)
    assert scaled.counts == result.counts
    assert scaled.bounds[-1] == pytest.approx(4095e-9)


def test_no_values_are_no_histogram() -> None:
    assert exported_rows([]) is None
    assert exported(Histogram(Geometry(1, 3), np.zeros(0, np.int64))) is None
