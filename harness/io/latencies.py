"""Latencies of a number of requests: the percentiles it supports, and histograms for plots."""

from collections.abc import Sequence

import numpy as np

from ioprobe.engine.points import Latency
from stallscope.histograms import Geometry, Histogram, IntervalLog, LogInterval

NAMES = ("min", "mean", "p50", "p90", "p99", "p99.9", "p99.99", "max")
# Requests needed so that one of them lies beyond the percentile.
MIN_REQUESTS = {"p90": 10, "p99": 100, "p99.9": 1000, "p99.99": 10_000}


def latency_values(latency: Latency | None, requests: int) -> dict[str, float]:
    """Return the latencies in ns by NAMES, without percentiles that need more requests."""
    if latency is None:
        return {}
    values = (
        latency.min,
        latency.mean,
        latency.p50,
        latency.p90,
        latency.p99,
        latency.p999,
        latency.p9999,
        latency.max,
    )
    return {
        name: value
        for name, value in zip(NAMES, values, strict=True)
        if requests >= MIN_REQUESTS.get(name, 1)
    }


def histogram_log(
    buckets: Sequence[tuple[int, int, int]], geometry: Geometry, seconds: float
) -> IntervalLog:
    """Return a log of one interval with the histogram of (lower ns, upper ns, count) buckets."""
    low = np.array([bucket[0] for bucket in buckets], np.int64)
    places = geometry.places(low)
    counts = np.zeros(int(places.max()) + 1, np.int64)
    np.add.at(counts, places, [bucket[2] for bucket in buckets])
    return IntervalLog((LogInterval(0, seconds, Histogram(geometry, counts)),))
