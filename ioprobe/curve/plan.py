"""The plan of a response curve: depths to measure, their order, and the length of each run.

A pilot tries the powers of two until throughput stops growing, so that no time is spent on depths
beyond; its results are not used. The depths are then measured several times in random order, so
that a change over time does not look like an effect of depth.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ioprobe.curve.estimates import MIN_GROWTH, CurveEstimates
from ioprobe.curve.readings import DepthReadings
from stallscope.documents import Natural, Record
from stallscope.quantities import size_text

MAX_INNER_DEPTHS = 4  # depths added to a bracket at once
NARROW_SHARE = 0.05  # a bracket narrower than this share of its depth needs no refinement
NARROW_SLO_SHARE = 0.1
MIN_LATENCIES = 8  # length of a reading, in latencies of a request at its depth
MAX_STEP_S = 20.0


class CurveRequests(Record, frozen=True, kw_only=True):
    """The requests of a curve."""

    block_bytes: Natural
    pattern: Literal["random", "sequential"]
    kind: Literal["reads", "writes"]

    @property
    def text(self) -> str:
        """Return the requests in words, such as "4 KiB random reads"."""
        return f"{size_text(self.block_bytes)} {self.pattern} {self.kind}"


@dataclass(frozen=True, slots=True)
class CurveStep:
    """One run to measure."""

    depth: int
    warmup_s: float
    duration_s: float
    seed: int


@dataclass(frozen=True, slots=True)
class CurvePlan:
    """Parameters of a curve; ``duration_s`` and ``warmup_s`` apply to each reading."""

    max_depth: int = 256
    repeats: int = 3
    duration_s: float = 1.0
    warmup_s: float = 0.2
    seed: int = 1
    slo_p99_ns: float | None = None

    def step(self, depth: int, seed: int, request_s: float) -> CurveStep:
        """Return a run at a depth; ``request_s`` is the expected latency of a request there."""
        min_duration_s = min(MAX_STEP_S, MIN_LATENCIES * request_s)
        warmup_s = max(self.warmup_s, min(MAX_STEP_S / 4, 2 * request_s))
        return CurveStep(depth, warmup_s, max(self.duration_s, min_duration_s), seed)


def powers(max_depth: int) -> tuple[int, ...]:
    """Return the powers of two up to a depth, and the depth itself."""
    depths = [1 << power for power in range(max_depth.bit_length())]
    return tuple(depths) if depths[-1] == max_depth else (*depths, max_depth)


def is_flat(iops: Sequence[float]) -> bool:
    """Return whether the last two doublings of the depth gained less than MIN_GROWTH."""
    return len(iops) >= 4 and max(iops[-2:]) < (1 + MIN_GROWTH) * max(iops[:-2])


def passes(depths: Sequence[int], repeats: int, seed: int) -> Iterator[tuple[int, ...]]:
    """Yield the depths in a new random order for each pass."""
    order = random.Random(seed)  # noqa: S311 - an order, not a secret
    for _ in range(repeats):
        shuffled = list(depths)
        order.shuffle(shuffled)
        yield tuple(shuffled)


def refinement(
    depths: Sequence[DepthReadings], estimates: CurveEstimates, slo_p99_ns: float | None
) -> tuple[int, ...]:
    """Return depths to add around the recommended ones; empty if all brackets are narrow."""
    measured = [readings.depth for readings in depths if readings.ok]
    knee = round(estimates.knee.value)
    below = _below(measured, knee)
    # Depths closer together than the knee's uncertainty would add nothing.
    is_resolved = estimates.knee.high - estimates.knee.low <= 2 * (knee - below)
    added = _between(below, knee, NARROW_SHARE) if is_resolved else set()
    added |= _around_peak(measured, round(estimates.latency_optimal.value))
    if slo_p99_ns is not None and estimates.slo is not None:
        added |= _between(estimates.slo, _above(measured, estimates.slo), NARROW_SLO_SHARE)
    return tuple(sorted(added - {readings.depth for readings in depths}))


def _between(low: int, high: int, narrow_share: float) -> set[int]:
    """Return up to MAX_INNER_DEPTHS depths within a bracket; none if it is narrow."""
    if high - low <= max(1.0, narrow_share * low):
        return set()
    parts = min(MAX_INNER_DEPTHS + 1, high - low)
    return {low + round((high - low) * part / parts) for part in range(1, parts)}


def _around_peak(known: Sequence[int], peak: int) -> set[int]:
    """Return a depth on either side of the peak of power.

    The peak is flat: half a doubling is precise enough.
    """
    brackets = ((_below(known, peak), peak), (peak, _above(known, peak)))
    return {round((low * high) ** 0.5) for low, high in brackets if high >= 1.8 * low}


def _below(known: Sequence[int], depth: int) -> int:
    return max((other for other in known if other < depth), default=depth)


def _above(known: Sequence[int], depth: int) -> int:
    return min((other for other in known if other > depth), default=depth)
