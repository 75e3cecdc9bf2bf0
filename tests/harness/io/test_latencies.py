"""Which percentiles a number of requests supports."""

import pytest

from harness.io.latencies import histogram_log, latency_values
from ioprobe.engine.points import Latency
from stallscope.histograms import Geometry

LATENCY = Latency(*range(1, 9))


@pytest.mark.parametrize(
    ("requests", "names"),
    [
        (9, "min mean p50 max"),
        (10, "min mean p50 p90 max"),
        (999, "min mean p50 p90 p99 max"),
        (10_000, "min mean p50 p90 p99 p99.9 p99.99 max"),
    ],
)
def test_a_percentile_needs_a_request_beyond_it(requests: int, names: str) -> None:
    assert " ".join(latency_values(LATENCY, requests)) == names


def test_without_requests_there_are_no_latencies() -> None:
    assert latency_values(None, 0) == {}


def test_buckets_become_one_interval_of_the_whole_time() -> None:
    log = histogram_log([(10, 11, 3), (5000, 5010, 2), (10, 11, 1)], Geometry(1, 3), 2.5)
    (interval,) = log.intervals
    rows = interval.histogram.rows()
    assert [
        (count, low <= value <= high)
        for (low, high, count), value in zip(rows, (10, 5000), strict=True)
    ] == [(4, True), (2, True)]
