"""Readings of a response curve: one run at one depth each, and what those of a depth say together.

A reading that failed its own checks is kept and shown with its reasons, and is never averaged in.
"""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ioprobe.engine.points import Latency

Bucket = tuple[int, int, int]  # from ns, to ns, how many requests
PERCENTS = (50.0, 90.0, 99.0, 99.9, 99.99)


@dataclass(frozen=True, slots=True)
class Reading:
    """One run at one depth; ``number`` tells the order in which readings were taken.

    ``series`` holds requests a second in steps of ``step_s``. ``failed`` says which of its own
    checks the run missed; a reading with any is masked.
    """

    depth: int
    number: int
    seconds: float
    iops: float
    latency: Latency | None
    buckets: tuple[Bucket, ...]
    series: tuple[float, ...]
    littles_law_error: float | None
    cpu_delay_share: float | None
    failed: tuple[str, ...] = ()
    step_s: float = 0.1

    @property
    def requests(self) -> int:
        """Return how many requests its histogram holds."""
        return sum(count for _, _, count in self.buckets)


@dataclass(frozen=True, slots=True)
class DepthReadings:
    """All readings of one depth: those that count, and those that were masked."""

    depth: int
    accepted: tuple[Reading, ...]
    masked: tuple[Reading, ...]

    @property
    def ok(self) -> bool:
        """Return whether any reading counts."""
        return bool(self.accepted)

    @property
    def iops(self) -> float | None:
        """Return the median of the readings that count; None without any."""
        return statistics.median(one.iops for one in self.accepted) if self.accepted else None

    @property
    def latencies(self) -> Latency | None:
        """Return the latency of all requests of the readings that count, merged."""
        return merged_latencies(self.accepted)


def by_depth(readings: Iterable[Reading]) -> tuple[DepthReadings, ...]:
    """Return the readings of each depth, the shallowest first."""
    depths: dict[int, list[Reading]] = {}
    for one in readings:
        depths.setdefault(one.depth, []).append(one)
    return tuple(
        DepthReadings(
            depth,
            tuple(one for one in found if not one.failed),
            tuple(one for one in found if one.failed),
        )
        for depth, found in sorted(depths.items())
    )


def merged_buckets(readings: Iterable[Reading]) -> tuple[Bucket, ...]:
    """Return the sum of the readings' histograms."""
    counts: dict[tuple[int, int], int] = {}
    for one in readings:
        for low, high, count in one.buckets:
            counts[low, high] = counts.get((low, high), 0) + count
    return tuple((low, high, count) for (low, high), count in sorted(counts.items()))


def merged_latencies(readings: Sequence[Reading]) -> Latency | None:
    """Return the latency of several readings' requests; None where there was none.

    Least, mean and greatest are exact, percentiles of the merged histogram.
    """
    known = [(one.latency, one.requests) for one in readings if one.latency and one.requests]
    if not known:
        return None
    buckets = merged_buckets(readings)
    most = max(found.max for found, _ in known)
    p50, p90, p99, p999, p9999 = (min(most, percentile(buckets, at)) for at in PERCENTS)
    mean = float(np.average([found.mean for found, _ in known], weights=[n for _, n in known]))
    return Latency(min(found.min for found, _ in known), mean, most, p50, p90, p99, p999, p9999)


def percentile(buckets: Sequence[Bucket], percent: float) -> float:
    """Return the upper end of the bucket that holds the percentile; ValueError without values."""
    total = sum(count for _, _, count in buckets)
    if not total:
        raise ValueError("a histogram without values has no percentile")
    wanted, seen = percent / 100 * total, 0
    for _, high, count in buckets:
        seen += count
        if seen >= wanted - 1e-9:
            return high
    return buckets[-1][1]


def slowest_share(buckets: Sequence[Bucket], share: float) -> float:
    """Return how much of all requests' time the slowest ``share`` of them took, 0..1.

    Of equal requests it is the share itself; of exponential ones share * (1 - ln(share)).
    """
    middles = [((low + high) / 2, count) for low, high, count in buckets]
    total = sum(count for _, count in middles)
    time = sum(middle * count for middle, count in middles)
    left, taken = share * total, 0.0
    for middle, count in reversed(middles):
        part = min(left, count)
        taken += middle * part
        left -= part
        if left <= 0:
            break
    return taken / time if time > 0 else 0.0
