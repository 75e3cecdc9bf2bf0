"""Logs of latency made of plain values."""

import numpy as np

from stallscope.histograms import Geometry, Histogram, Interval, IntervalLog


def log_of(*places: int) -> IntervalLog:
    """Two seconds in each of which every place holds 50 values, and the last one 50 more."""
    counts = np.zeros(max(places) + 1, np.int64)
    for place in places:
        counts[place] += 50
    counts[places[-1]] += 50
    histogram = Histogram(Geometry(1, 3), counts)
    return IntervalLog((Interval(0.0, 1.0, histogram), Interval(1.0, 1.0, histogram)))
