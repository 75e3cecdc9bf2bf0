"""Readings of a response curve: single runs at one depth, and their summary by depth.

A reading that failed its checks is kept and shown with the reasons, but not averaged.
"""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ioprobe.engine.points import Latency
from stallscope.statistics.quantiles import nearest_rank

HistogramBucket = tuple[int, int, int]  # lower bound in ns, upper bound in ns, count
PERCENTS = (50.0, 90.0, 99.0, 99.9, 99.99)


@dataclass(frozen=True, slots=True)
class DepthReading:
    """One run at one depth; ``number`` is its place in the order of measurement.

    ``series`` holds requests per second in steps of ``step_s``. ``failed`` lists the checks that
    the run failed; a reading with any is masked.
    """

    depth: int
    number: int
    seconds: float
    iops: float
    latency: Latency | None
    buckets: tuple[HistogramBucket, ...]
    series: tuple[float, ...]
    littles_law_error: float | None
    cpu_delay_share: float | None
    failed: tuple[str, ...] = ()
    step_s: float = 0.1

    @property
    def requests(self) -> int:
        """Return the number of requests in the histogram."""
        return sum(count for _, _, count in self.buckets)


@dataclass(frozen=True, slots=True)
class DepthReadings:
    """All readings of one depth, accepted and masked."""

    depth: int
    accepted: tuple[DepthReading, ...]
    masked: tuple[DepthReading, ...]

    @property
    def ok(self) -> bool:
        """Return whether any reading was accepted."""
        return bool(self.accepted)

    @property
    def iops(self) -> float | None:
        """Return the median throughput of the accepted readings; None without any."""
        if not self.accepted:
            return None
        return statistics.median(reading.iops for reading in self.accepted)

    @property
    def latencies(self) -> Latency | None:
        """Return the merged latency of the accepted readings."""
        return merged_latencies(self.accepted)


def by_depth(readings: Iterable[DepthReading]) -> tuple[DepthReadings, ...]:
    """Return the readings grouped by depth, in rising order."""
    groups: dict[int, list[DepthReading]] = {}
    for reading in readings:
        groups.setdefault(reading.depth, []).append(reading)
    return tuple(
        DepthReadings(
            depth,
            tuple(reading for reading in group if not reading.failed),
            tuple(reading for reading in group if reading.failed),
        )
        for depth, group in sorted(groups.items())
    )


def merged_buckets(readings: Iterable[DepthReading]) -> tuple[HistogramBucket, ...]:
    """Return the sum of the readings' histograms."""
    counts: dict[tuple[int, int], int] = {}
    for reading in readings:
        for low, high, count in reading.buckets:
            counts[low, high] = counts.get((low, high), 0) + count
    return tuple((low, high, count) for (low, high), count in sorted(counts.items()))


def merged_latencies(readings: Sequence[DepthReading]) -> Latency | None:
    """Return the latency of several readings; None without requests.

    Minimum, mean and maximum are exact; percentiles come from the merged histogram.
    """
    latencies = [
        (reading.latency, reading.requests)
        for reading in readings
        if reading.latency and reading.requests
    ]
    if not latencies:
        return None
    buckets = merged_buckets(readings)
    maximum = max(latency.max for latency, _ in latencies)
    p50, p90, p99, p999, p9999 = (min(maximum, percentile(buckets, p)) for p in PERCENTS)
    mean = float(
        np.average([latency.mean for latency, _ in latencies], weights=[n for _, n in latencies])
    )
    minimum = min(latency.min for latency, _ in latencies)
    return Latency(minimum, mean, maximum, p50, p90, p99, p999, p9999)


def percentile(buckets: Sequence[HistogramBucket], percent: float) -> float:
    """Return the upper bound of the percentile's bucket; ValueError for an empty histogram."""
    value = nearest_rank(((high, count) for _, high, count in buckets), percent / 100)
    if value is None:
        raise ValueError("an empty histogram has no percentile")
    return value


def slowest_share(buckets: Sequence[HistogramBucket], share: float) -> float:
    """Return the share, 0..1, of all requests' time that the slowest ``share`` of them took.

    For equal latencies it is ``share`` itself, for exponential ones share * (1 - ln(share)).
    """
    middles = [((low + high) / 2, count) for low, high, count in buckets]
    total = sum(count for _, count in middles)
    total_ns = sum(middle * count for middle, count in middles)
    remaining, slowest_ns = share * total, 0.0
    for middle, count in reversed(middles):
        taken = min(remaining, count)
        slowest_ns += middle * taken
        remaining -= taken
        if remaining <= 0:
            break
    return slowest_ns / total_ns if total_ns > 0 else 0.0
