"""Which depths to measure, in which order, and how long: first powers of two, then around the knee.

A pilot climbs through the powers of two until throughput no longer grows, so that no time is spent
where all is known; what it measures is not counted. Depths are then read several times, shuffled
anew in each pass, so that what changes with time is no matter of depth.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ioprobe.curve.estimates import LEAST_GROWTH, Estimates
from ioprobe.curve.readings import DepthReadings

MOST_INNER = 4  # depths added to a bracket at once
CLOSE = 0.05  # a bracket narrower than this share of its depth is narrow enough
CLOSE_SLO = 0.1
REQUESTS_IN_FLIGHT = 8  # a reading lasts at least as many times as a request at its depth
LONGEST_S = 20.0


@dataclass(frozen=True, slots=True)
class Step:
    """One run to be made."""

    depth: int
    warmup_s: float
    duration_s: float
    seed: int


@dataclass(frozen=True, slots=True)
class CurvePlan:
    """What was asked: ``duration_s`` and ``warmup_s`` are of each reading."""

    most_depth: int = 256
    repeats: int = 3
    duration_s: float = 1.0
    warmup_s: float = 0.2
    seed: int = 1
    slo_p99_ns: float | None = None

    def step(self, depth: int, seed: int, request_s: float) -> Step:
        """Return a run at a depth where a request takes about so long."""
        least = min(LONGEST_S, REQUESTS_IN_FLIGHT * request_s)
        warmup_s = max(self.warmup_s, min(LONGEST_S / 4, 2 * request_s))
        return Step(depth, warmup_s, max(self.duration_s, least), seed)


def powers(most_depth: int) -> tuple[int, ...]:
    """Return the powers of two up to a depth, and the depth itself."""
    found = [1 << power for power in range(most_depth.bit_length())]
    return tuple(found) if found[-1] == most_depth else (*found, most_depth)


def is_flat(iops: Sequence[float]) -> bool:
    """Return whether the last two doublings of the depth gained nothing worth the name."""
    return len(iops) >= 4 and max(iops[-2:]) < (1 + LEAST_GROWTH) * max(iops[:-2])


def passes(depths: Sequence[int], repeats: int, seed: int) -> Iterator[tuple[int, ...]]:
    """Yield the depths once for each pass, in an order of its own."""
    order = random.Random(seed)  # noqa: S311 - an order, not a secret
    for _ in range(repeats):
        shuffled = list(depths)
        order.shuffle(shuffled)
        yield tuple(shuffled)


def refinement(
    depths: Sequence[DepthReadings], found: Estimates, slo_p99_ns: float | None
) -> tuple[int, ...]:
    """Return the depths to add, those around the knee and the other two depths with a name.

    Empty once all brackets are narrow.
    """
    known = [one.depth for one in depths if one.ok]
    knee = round(found.knee.value)
    below = _below(known, knee)
    # Depths closer than chance can tell apart would tell nothing.
    is_told_apart = found.knee.high - found.knee.low <= 2 * (knee - below)
    wanted = _between(below, knee, CLOSE) if is_told_apart else set()
    wanted |= _around_peak(known, round(found.latency_optimal.value))
    if slo_p99_ns is not None and found.slo is not None:
        wanted |= _between(found.slo, _above(known, found.slo), CLOSE_SLO)
    return tuple(sorted(wanted - {one.depth for one in depths}))


def _between(low: int, high: int, close: float) -> set[int]:
    """Return up to MOST_INNER depths within a bracket, none where it is narrow."""
    if high - low <= max(1.0, close * low):
        return set()
    parts = min(MOST_INNER + 1, high - low)
    return {low + round((high - low) * part / parts) for part in range(1, parts)}


def _around_peak(known: Sequence[int], peak: int) -> set[int]:
    """Return a depth on either side of the peak of power, which is flat: half a doubling is near
    enough."""
    near = ((_below(known, peak), peak), (peak, _above(known, peak)))
    return {round((low * high) ** 0.5) for low, high in near if high >= 1.8 * low}


def _below(known: Sequence[int], depth: int) -> int:
    return max((one for one in known if one < depth), default=depth)


def _above(known: Sequence[int], depth: int) -> int:
    return min((one for one in known if one > depth), default=depth)
