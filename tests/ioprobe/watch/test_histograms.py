"""Latency histograms and heat maps, compared with the sorted times."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ioprobe.watch.histograms import (
    GEOMETRY,
    MAX_COLUMNS,
    MAX_NS,
    ROWS,
    LatencyCounts,
    LatencyHeatMap,
    row_edges_ns,
)

times = st.lists(st.integers(0, 2**46), min_size=1, max_size=50)


@settings(max_examples=40, deadline=None)
@given(times, times)
def test_percentiles_are_within_a_bucket_of_the_sorted_times(
    first: list[int], second: list[int]
) -> None:
    counts = LatencyCounts()
    counts.add(np.array(first, np.int64))
    counts.add(np.array(second, np.int64))
    known = np.sort(np.minimum(first + second, MAX_NS))
    latencies = counts.latencies()
    assert latencies is not None
    assert (latencies.min, latencies.max) == (known[0], known[-1])
    assert abs(latencies.mean - known.mean()) <= 1e-9 * known.mean()
    rank = max(1, int(len(known) / 2 + 0.5))
    exact = int(known[rank - 1])
    assert exact <= latencies.p50 <= max(exact * 1.01, exact + 1)
    assert sum(count for _, _, count in counts.buckets()) == len(known)
    for low, high, _ in counts.buckets():
        assert ((known >= low) & (known <= high)).any()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 2**52), min_size=1, max_size=50))
def test_a_bucket_contains_its_values(values: list[int]) -> None:
    value_array = np.array(values, np.int64)
    low, high = GEOMETRY.bounds(GEOMETRY.places(value_array))
    assert ((low <= value_array) & (value_array <= high)).all()


def test_an_empty_histogram_has_no_percentiles() -> None:
    counts = LatencyCounts()
    counts.add(np.zeros(0, np.int64))
    assert counts.latencies() is None
    assert counts.buckets() == []


def test_the_heat_map_keeps_its_size_and_every_request() -> None:
    heat = LatencyHeatMap(1_000)
    for second in range(0, 1000, 7):
        end_ns = np.array([1_000 + second * 10**9], np.int64)
        heat.add(end_ns, np.array([50_000], np.int64))
    assert heat.counts.shape == (MAX_COLUMNS, ROWS)
    assert int(heat.counts.sum()) == len(range(0, 1000, 7))
    assert heat.column_s == 6.4  # 0.1 s, doubled until 1,000 s fit
    assert len(heat.used(1000.0)) == 157
    edges = row_edges_ns()
    (row,) = set(np.nonzero(heat.counts)[1].tolist())
    assert edges[row] <= 50_000 < edges[row + 1]


def test_latencies_beyond_the_rows_count_in_the_outermost() -> None:
    heat = LatencyHeatMap(10**9)
    ends_ns = np.array([0, 10**9, 10**9], np.int64)  # the first is before the start
    heat.add(ends_ns, np.array([0, 5, 2**50], np.int64))
    assert heat.counts[0, 0] == 2
    assert heat.counts[0, ROWS - 1] == 1
