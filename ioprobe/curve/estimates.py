"""What a response curve says of depth: most throughput, knee, and three depths worth a name.

With N requests in flight a closed loop has X = N / R (Little's law). The estimators:
saturation depth N* = Xmax * R1, where the lines of no waiting and of full use meet (Denning and
Buzen, The operational analysis of queueing network models, 1978); the knee, the smallest depth with
95 % of Xmax; the depth of the greatest power X / R (Kleinrock, Power and deterministic rules of
thumb, 1979). Intervals are of a bootstrap over readings and over the tenths of a second in them
(Davison and Hinkley, Bootstrap methods, 1997, section 3.8), with a fixed seed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ioprobe.curve.readings import DepthReadings, Reading

KNEE_SHARE = 0.95
PLATEAU_SHARE = 0.98  # depths this near to the best are taken for its equals
LEAST_GROWTH = 0.04
REPLICATES = 400
SEED = 7
_INSIDE = (2.5, 97.5)
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with the interval that holds it in 95 of 100 replicates."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Estimates:
    """What the accepted readings say; None where they do not suffice.

    ``most_iops`` is the plateau's throughput. ``knee_reached``: throughput no longer grows where
    the depth doubles to the greatest. ``slo`` is the deepest depth up to which each keeps the
    stated p99; ``slo_why_not`` says why there is none.
    """

    most_iops: Estimate
    saturation_depth: Estimate | None
    knee: Estimate
    latency_optimal: Estimate
    knee_reached: bool
    slo: int | None
    slo_why_not: str | None


def estimates(depths: Sequence[DepthReadings], slo_p99_ns: float | None) -> Estimates | None:
    """Return what the curve says; None with fewer than two depths that count.

    A depth at which no request came to its end says nothing of throughput, and keeps no p99.
    """
    known = [one for one in depths if one.iops]
    if len(known) < 2:
        return None
    places = np.array([one.depth for one in known], float)
    measured = np.array([[one.iops for one in known]], float)
    drawn = _replicates(known)
    most, knee, optimal = _read(places, measured)
    most_drawn, knee_drawn, optimal_drawn = _read(places, drawn)
    slo, why_not = _deepest_keeping([one for one in depths if one.ok], slo_p99_ns)
    return Estimates(
        _estimate(most, most_drawn),
        _saturation(known[0], (most, most_drawn), (measured, drawn)),
        _with_bracket(_estimate(knee, knee_drawn), places),
        _estimate(optimal, optimal_drawn),
        _is_reached(places, measured[0]),
        slo,
        why_not,
    )


def _estimate(value: Floats, drawn: Floats) -> Estimate:
    low, high = np.percentile(drawn, _INSIDE)
    return Estimate(float(value[0]), min(float(low), float(value[0])),
                    max(float(high), float(value[0])))  # fmt: skip


def _with_bracket(knee: Estimate, depths: Floats) -> Estimate:
    """Return the knee with all depths in its interval that were not measured just below it."""
    below = depths[depths < knee.value]
    least = float(below[-1]) + 1 if len(below) else knee.low
    return Estimate(knee.value, min(knee.low, least), knee.high)


def _replicates(known: Sequence[DepthReadings]) -> Floats:
    """Return (REPLICATES, n_depths) throughputs: readings drawn again, and their steps in them."""
    draw = np.random.default_rng(SEED)
    columns = []
    for one in known:
        means = np.stack([_drawn_means(each, draw) for each in one.accepted])
        n = len(one.accepted)
        chosen = draw.integers(0, n, (n, REPLICATES))
        columns.append(np.median(np.take_along_axis(means, chosen, 0), axis=0))
    return np.stack(columns, axis=1)


def _drawn_means(reading: Reading, draw: np.random.Generator) -> Floats:
    """Return REPLICATES means of the reading's steps, about its own steady throughput."""
    steps = np.asarray(reading.series, float)
    if len(steps) < 2 or not steps.mean() > 0:
        return np.full(REPLICATES, reading.iops)
    chosen = draw.integers(0, len(steps), (REPLICATES, len(steps)))
    return np.asarray(steps[chosen].mean(axis=1) * (reading.iops / steps.mean()))


def _read(depths: Floats, iops: Floats) -> tuple[Floats, Floats, Floats]:
    """Return most throughput, knee and latency-optimal depth of each row of ``iops``."""
    smooth = _without_outliers(iops)
    plateau = smooth >= PLATEAU_SHARE * smooth.max(axis=1, keepdims=True)
    most = (iops * plateau).sum(axis=1) / plateau.sum(axis=1)
    reached = smooth >= KNEE_SHARE * np.minimum(most, smooth.max(axis=1))[:, None]
    # In a closed loop R = N / X, so X / R = X^2 / N.
    optimal = depths[np.argmax(smooth**2 / depths, axis=1)]
    return most, depths[np.argmax(reached, axis=1)], optimal


def _without_outliers(iops: Floats) -> Floats:
    """Return each depth's median with its two neighbours; a curve that only grows stays as it is.

    Else the best of many equal depths would be the one that chance favoured most.
    """
    smooth = iops.copy()
    if iops.shape[1] > 2:
        three = np.stack([iops[:, :-2], iops[:, 1:-1], iops[:, 2:]])
        smooth[:, 1:-1] = np.median(three, axis=0)
    return smooth


def _saturation(
    shallowest: DepthReadings, most: tuple[Floats, Floats], iops: tuple[Floats, Floats]
) -> Estimate | None:
    """Return N* = Xmax * R1; None where depth 1 has no throughput that counts."""
    found = shallowest.latencies
    if shallowest.depth != 1 or found is None:
        return None
    alone_s = found.mean / 1e9
    first, first_drawn = iops[0][:, 0], iops[1][:, 0]
    told = first_drawn > 0  # a replicate may hold none but steps without a request
    if not told.any():
        return None
    return _estimate(most[0] * alone_s, most[1][told] * alone_s * first / first_drawn[told])


def _is_reached(depths: Floats, iops: Floats) -> bool:
    """Return whether the last doubling of the depth gained nothing worth the name."""
    half = depths <= depths[-1] / 2
    return bool(half.any() and iops[-1] < (1 + LEAST_GROWTH) * iops[half].max())


def _deepest_keeping(
    known: Sequence[DepthReadings], slo_p99_ns: float | None
) -> tuple[int | None, str | None]:
    """Return the deepest depth up to which each keeps the p99, or why there is none."""
    if slo_p99_ns is None:
        return None, "no --slo-p99 was stated"
    deepest = None
    for one in known:
        found = one.latencies
        if found is None or found.p99 > slo_p99_ns:
            break
        deepest = one.depth
    if deepest is None:
        return None, f"depth {known[0].depth} does not keep it"
    return deepest, None
