"""Latency logs built from plain values."""

import numpy as np

from stallscope.histograms import Geometry, Histogram, IntervalLog, LogInterval


def log_of(*buckets: int) -> IntervalLog:
    """Two one-second intervals with 50 values in every bucket, and 50 more in the last bucket."""
    counts = np.zeros(max(buckets) + 1, np.int64)
    for bucket in buckets:
        counts[bucket] += 50
    counts[buckets[-1]] += 50
    histogram = Histogram(Geometry(1, 3), counts)
    return IntervalLog((LogInterval(0.0, 1.0, histogram), LogInterval(1.0, 1.0, histogram)))
