"""A model of a disk with known results: P servers of service time S, N requests in flight.

Throughput is min(N, P) / S for fixed and for exponential service; latencies are random.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from msgspec import structs

from ioprobe.curve.plan import CurveStep
from ioprobe.curve.readings import DepthReading, HistogramBucket
from ioprobe.engine.points import Latency

SAMPLES = 1000


@dataclass(slots=True)
class ServerModel:
    """A source of readings; ``alter`` may change each reading."""

    servers: int = 8
    service_s: float = 1e-3
    exponential: bool = False
    alter: Callable[[DepthReading], DepthReading] = lambda reading: reading
    steps: list[CurveStep] = field(default_factory=list)

    def measure(self, steps: Sequence[CurveStep]) -> Iterator[DepthReading]:
        for step in steps:
            self.steps.append(step)
            yield self.alter(self.reading(step))

    def reading(self, step: CurveStep) -> DepthReading:
        draw = np.random.default_rng([step.depth, step.seed, len(self.steps)])
        rate = min(step.depth, self.servers) / self.service_s
        requests_per_step = 0.1 * rate
        bins = max(1, round(step.duration_s / 0.1))
        series = (
            draw.poisson(requests_per_step, bins) / 0.1 if self.exponential else np.full(bins, rate)
        )
        waiting = max(0, step.depth - self.servers)
        if self.exponential:
            times = draw.exponential(self.service_s, SAMPLES)
            if waiting:
                times += draw.gamma(waiting, self.service_s / self.servers, SAMPLES)
        else:
            times = np.full(SAMPLES, self.service_s * max(1.0, step.depth / self.servers))
        iops = float(series.mean())
        return DepthReading(
            depth=step.depth,
            number=len(self.steps) - 1,
            seconds=step.duration_s,
            iops=iops,
            # The mean follows from Little's law, so that random times do not blur it.
            latency=structs.replace(latency_of(times * 1e9), mean=1e9 * step.depth / iops),
            buckets=buckets_of(times * 1e9),
            series=tuple(float(rate) for rate in series),
            littles_law_error=0.0,
            cpu_delay_share=0.001,
        )


def buckets_of(times_ns: Sequence[float] | np.ndarray) -> tuple[HistogramBucket, ...]:
    """Return the histogram of times, in buckets of 1/64 of a power of two."""
    places, counts = np.unique(np.floor(np.log2(times_ns) * 64), return_counts=True)
    return tuple(
        (int(2 ** (place / 64)), int(2 ** ((place + 1) / 64)), int(count))
        for place, count in zip(places, counts, strict=True)
    )


def latencies(mean_ns: float) -> Latency:
    """Return exponential latencies with this mean."""
    percentiles = [-math.log(1 - share) * mean_ns for share in (0.5, 0.9, 0.99, 0.999, 0.9999)]
    return Latency(mean_ns / 1000, mean_ns, 12 * mean_ns, *percentiles)


def latency_of(times_ns: Sequence[float] | np.ndarray) -> Latency:
    """Return the exact latencies of times."""
    percentiles = np.percentile(times_ns, (50, 90, 99, 99.9, 99.99))
    return Latency(np.min(times_ns), np.mean(times_ns), np.max(times_ns), *percentiles)
