"""Estimates from a response curve: maximum throughput, knee, and recommended depths.

With N requests in flight a closed loop has X = N / R (Little's law). The estimators are:
saturation depth N* = Xmax * R1, the intersection of the asymptotes without waiting and at full use
(Denning and Buzen, The operational analysis of queueing network models, 1978); the knee, the
smallest depth with 95 % of Xmax; and the depth of the highest power X / R (Kleinrock, Power and
deterministic rules of thumb, 1979). Intervals come from a bootstrap over readings and over the
tenths of a second within them (Davison and Hinkley, Bootstrap methods, 1997, section 3.8), with a
fixed seed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ioprobe.curve.readings import DepthReading, DepthReadings
from stallscope.statistics.bootstrap import percentile_interval

KNEE_SHARE = 0.95
PLATEAU_SHARE = 0.98  # depths within this share of the best count as equal to it
MIN_GROWTH = 0.04  # of throughput, if the depth doubles
REPLICATES = 400
SEED = 7
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CurveEstimate:
    """A value with the interval that contains it in 95 of 100 bootstrap replicates."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CurveEstimates:
    """Estimates from the accepted readings; a value is None if they do not suffice.

    ``max_iops`` is the throughput of the plateau. ``knee_reached`` is true if throughput no longer
    grows over the last doubling of the depth. ``slo`` is the deepest depth up to which every depth
    keeps the requested p99; ``slo_missing`` is the reason if there is none.
    """

    max_iops: CurveEstimate
    saturation_depth: CurveEstimate | None
    knee: CurveEstimate
    latency_optimal: CurveEstimate
    knee_reached: bool
    slo: int | None
    slo_missing: str | None


def estimate_curve(
    depths: Sequence[DepthReadings], slo_p99_ns: float | None
) -> CurveEstimates | None:
    """Return the estimates; None with fewer than two depths that have a throughput.

    A depth at which no request completed has no throughput and keeps no p99.
    """
    with_iops = [readings for readings in depths if readings.iops]
    if len(with_iops) < 2:
        return None
    depth_values = np.array([readings.depth for readings in with_iops], float)
    measured = np.array([[readings.iops for readings in with_iops]], float)
    replicates = _replicates(with_iops)
    most, knee, optimal = _read_curve(depth_values, measured)
    max_drawn, knee_drawn, optimal_drawn = _read_curve(depth_values, replicates)
    slo, slo_missing = _slo_depth([readings for readings in depths if readings.ok], slo_p99_ns)
    return CurveEstimates(
        _estimate(most, max_drawn),
        _saturation(with_iops[0], (most, max_drawn), (measured, replicates)),
        _with_bracket(_estimate(knee, knee_drawn), depth_values),
        _estimate(optimal, optimal_drawn),
        _is_knee_reached(depth_values, measured[0]),
        slo,
        slo_missing,
    )


def _estimate(value: Floats, drawn: Floats) -> CurveEstimate:
    measured = float(value[0])
    low, high = percentile_interval(drawn, measured)
    return CurveEstimate(measured, low, high)


def _with_bracket(knee: CurveEstimate, depths: Floats) -> CurveEstimate:
    """Return the knee with its interval extended over the depths just below that were skipped."""
    below = depths[depths < knee.value]
    lowest = float(below[-1]) + 1 if len(below) else knee.low
    return CurveEstimate(knee.value, min(knee.low, lowest), knee.high)


def _replicates(depths: Sequence[DepthReadings]) -> Floats:
    """Return (REPLICATES, n_depths) throughputs, resampled over readings and their steps."""
    draw = np.random.default_rng(SEED)
    columns = []
    for readings in depths:
        means = np.stack([_resampled_means(reading, draw) for reading in readings.accepted])
        n = len(readings.accepted)
        chosen = draw.integers(0, n, (n, REPLICATES))
        columns.append(np.median(np.take_along_axis(means, chosen, 0), axis=0))
    return np.stack(columns, axis=1)


def _resampled_means(reading: DepthReading, draw: np.random.Generator) -> Floats:
    """Return REPLICATES means of the reading's steps, scaled to its steady throughput."""
    steps = np.asarray(reading.series, float)
    if len(steps) < 2 or not steps.mean() > 0:
        return np.full(REPLICATES, reading.iops)
    chosen = draw.integers(0, len(steps), (REPLICATES, len(steps)))
    return np.asarray(steps[chosen].mean(axis=1) * (reading.iops / steps.mean()))


def _read_curve(depths: Floats, iops: Floats) -> tuple[Floats, Floats, Floats]:
    """Return maximum throughput, knee and latency-optimal depth of each row of ``iops``."""
    smooth = _without_outliers(iops)
    plateau = smooth >= PLATEAU_SHARE * smooth.max(axis=1, keepdims=True)
    most = (iops * plateau).sum(axis=1) / plateau.sum(axis=1)
    reached = smooth >= KNEE_SHARE * np.minimum(most, smooth.max(axis=1))[:, None]
    # In a closed loop R = N / X, so X / R = X^2 / N.
    optimal = depths[np.argmax(smooth**2 / depths, axis=1)]
    return most, depths[np.argmax(reached, axis=1)], optimal


def _without_outliers(iops: Floats) -> Floats:
    """Return the running median of three depths; a monotonic curve does not change.

    Without it the best of many equal depths would be the one favoured by chance.
    """
    smooth = iops.copy()
    if iops.shape[1] > 2:
        neighbours = np.stack([iops[:, :-2], iops[:, 1:-1], iops[:, 2:]])
        smooth[:, 1:-1] = np.median(neighbours, axis=0)
    return smooth


def _saturation(
    shallowest: DepthReadings, most: tuple[Floats, Floats], iops: tuple[Floats, Floats]
) -> CurveEstimate | None:
    """Return N* = Xmax * R1; None if depth 1 has no throughput."""
    latencies = shallowest.latencies
    if shallowest.depth != 1 or latencies is None:
        return None
    mean_s = latencies.mean / 1e9
    first, first_drawn = iops[0][:, 0], iops[1][:, 0]
    valid = first_drawn > 0  # a replicate may consist of steps without a request
    if not valid.any():
        return None
    return _estimate(most[0] * mean_s, most[1][valid] * mean_s * first / first_drawn[valid])


def _is_knee_reached(depths: Floats, iops: Floats) -> bool:
    """Return whether the last doubling of the depth gained less than MIN_GROWTH."""
    half = depths <= depths[-1] / 2
    return bool(half.any() and iops[-1] < (1 + MIN_GROWTH) * iops[half].max())


def _slo_depth(
    depths: Sequence[DepthReadings], slo_p99_ns: float | None
) -> tuple[int | None, str | None]:
    """Return the deepest depth up to which every depth keeps the p99, or why there is none."""
    if slo_p99_ns is None:
        return None, "no --slo-p99 was given"
    deepest = None
    for readings in depths:
        latencies = readings.latencies
        if latencies is None or latencies.p99 > slo_p99_ns:
            break
        deepest = readings.depth
    if deepest is None:
        return None, f"depth {depths[0].depth} exceeds it"
    return deepest, None
