"""The levels of memory in a latency curve: plateaus, steps, and the confidence of their ends."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from math import exp2, log2
from statistics import median

from stallscope.statistics.isotonic import isotonic_regression

# A ring is on a plateau if the curve around it rises by less than this factor per octave of ring
# size. A cache that replaces lines at random still hits beyond its size: only beyond four times its
# size does the rise fall below this factor.
FLAT_FACTOR = 1.25
# Plateaus that differ by less than this factor are merged: the levels cannot be distinguished.
APART_FACTOR = 1.25
# A shorter flat part is a bend between two steps and not a plateau.
MIN_OCTAVES = 0.5
# A cache ends where the latency has risen by this share of the step to the next level: a cache that
# replaces lines at random misses in a tenth of the steps at 1.1 times its size. If the step is
# large, it is this share of the step's logarithm: before memory, one miss in ten already raises the
# latency far. The rise is at least a tenth of the level's own latency.
END_SHARE = 0.1
END_LOG_SHARE = 0.25
END_FACTOR = 1.1
_HALF_WINDOW = 0.5  # octaves


class Confidence(StrEnum):
    """The confidence in a level's end; see ``end_confidence``."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class RingLatency:
    """A ring of the curve: its size, and the latency per step of the least disturbed repeat."""

    size_bytes: int
    latency_ns: float


@dataclass(frozen=True, slots=True)
class Level:
    """A level of memory; the end of the last level lies beyond the largest ring."""

    latency_ns: float
    first_bytes: int  # the smallest ring on its plateau
    fits_bytes: int  # the largest ring that fits
    exceeds_bytes: int | None  # the smallest ring that does not fit; None: none was measured
    confidence: Confidence | None  # in the end; None if no end was measured
    noise: float  # median distance of the rings from the fitted curve, as a share of the latency


def find_levels(points: Sequence[RingLatency]) -> tuple[Level, ...]:
    """Return the levels in a curve, fastest first; empty with fewer than four rings.

    A running median of five removes outliers. Isotonic regression then fits the logarithm of the
    latency. Rings around which the fit rises by less than FLAT_FACTOR per octave form plateaus;
    plateaus within APART_FACTOR are merged. A level ends between the last ring below END_SHARE of
    the step to the next plateau (or END_LOG_SHARE of its logarithm, if that is less) and the first
    ring above.
    """
    rings = sorted(points, key=lambda point: point.size_bytes)
    if len(rings) < 4:
        return ()
    octaves = [log2(ring.size_bytes) for ring in rings]
    raw = [log2(ring.latency_ns) for ring in rings]
    fit = isotonic_regression(_without_outliers(raw))
    curve = _Curve(tuple(rings), octaves, raw, fit)
    runs = _merged(curve, _plateaus(curve))
    return tuple(
        _level(curve, run, runs[index + 1] if index + 1 < len(runs) else None)
        for index, run in enumerate(runs)
    )


@dataclass(frozen=True, slots=True)
class _Curve:
    rings: tuple[RingLatency, ...]
    octaves: list[float]
    raw: list[float]  # log2 of the latency, as `fit`
    fit: list[float]

    def height(self, run: range) -> float:
        return median(self.fit[run.start : run.stop])

    def octaves_of(self, run: range) -> float:
        return self.octaves[run.stop - 1] - self.octaves[run.start]


def _without_outliers(values: list[float]) -> list[float]:
    """Return the median of each value and its neighbours, up to two on each side, symmetric."""
    widths = [min(2, index, len(values) - 1 - index) for index in range(len(values))]
    return [median(values[index - width : index + width + 1]) for index, width in enumerate(widths)]


def _plateaus(curve: _Curve) -> list[range]:
    """Return the ranges of rings in which the fit is flat; one of them has the last ring."""
    flat = [_rise(curve, index) < log2(FLAT_FACTOR) for index in range(len(curve.rings))]
    runs: list[range] = []
    start = 0
    for index in range(1, len(flat) + 1):
        if index == len(flat) or flat[index] != flat[start]:
            if flat[start]:
                runs.append(range(start, index))
            start = index
    runs = [run for run in runs if curve.octaves_of(run) >= MIN_OCTAVES]
    last = len(flat) - 1
    if not runs or runs[-1].stop <= last:
        runs.append(range(last, last + 1))  # the curve still rises: its end is the next level
    return runs


def _rise(curve: _Curve, index: int) -> float:
    """Return the rise of the fit in the octave around a ring, in octaves of latency."""
    middle = curve.octaves[index]
    low = max(middle - _HALF_WINDOW, curve.octaves[0])
    high = min(middle + _HALF_WINDOW, curve.octaves[-1])
    return (_at(curve, high) - _at(curve, low)) / (high - low)


def _at(curve: _Curve, octave: float) -> float:
    """Return the fit at an octave, interpolated linearly between two rings."""
    for (left, before), (right, after) in pairwise(zip(curve.octaves, curve.fit, strict=True)):
        if left <= octave <= right:
            return before + (after - before) * (octave - left) / max(right - left, 1e-9)
    return curve.fit[-1]


def _merged(curve: _Curve, runs: list[range]) -> list[range]:
    merged = runs[:1]
    for run in runs[1:]:
        if curve.height(run) - curve.height(merged[-1]) < log2(APART_FACTOR):
            merged[-1] = range(merged[-1].start, run.stop)
        else:
            merged.append(run)
    return merged


def _level(curve: _Curve, run: range, following: range | None) -> Level:
    latency = exp2(curve.height(run))
    noise = exp2(median(abs(curve.raw[index] - curve.fit[index]) for index in run)) - 1
    first = curve.rings[run.start].size_bytes
    if following is None:
        return Level(latency, first, curve.rings[-1].size_bytes, None, None, noise)
    step = exp2(curve.height(following)) - latency
    ratio = 1 + step / latency
    end = max(min(1 + END_SHARE * (ratio - 1), ratio**END_LOG_SHARE), END_FACTOR)
    threshold = curve.height(run) + log2(end)
    within = [i for i in range(run.start, following.stop) if curve.fit[i] <= threshold]
    fits = within[-1]
    exceeds = curve.rings[min(fits + 1, len(curve.rings) - 1)].size_bytes
    level = Level(latency, first, curve.rings[fits].size_bytes, exceeds, None, noise)
    open_end = following.stop - following.start == 1
    confidence = end_confidence(level, step / latency, rings=len(within), next_is_open=open_end)
    return replace(level, confidence=confidence)


def end_confidence(level: Level, step: float, *, rings: int, next_is_open: bool) -> Confidence:
    """Return the confidence in a level's end.

    ``step`` is the rise to the next level as a share of this level's latency. High: the step is at
    least a half and ten times the noise, the plateau has four rings or more, and the end is known
    within half an octave. Low: the step is less than three times the noise, or there are fewer than
    three rings, or the curve still rises at its end, so that the next level's latency is unknown.
    """
    end_ratio = (level.exceeds_bytes or level.fits_bytes) / level.fits_bytes
    if step < 3 * level.noise or rings < 3 or next_is_open:
        return Confidence.LOW
    if step >= 0.5 and step >= 10 * level.noise and rings >= 4 and end_ratio <= 1.5:
        return Confidence.HIGH
    return Confidence.MEDIUM
