"""The levels of the memory in a latency curve: plateaus, the steps between them, and how sure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from math import exp2, log2
from statistics import median

from stallscope.statistics.isotonic import isotonic_regression

# A ring is on a plateau where the curve rises less than this around it, in factors an octave of
# ring size. A cache that replaces lines at random is felt long after its end: beyond four times
# its size the rise falls below this.
FLAT_FACTOR = 1.25
# Plateaus nearer to each other than this are one: the levels cannot be told apart.
APART_FACTOR = 1.25
# What is flat over less than this is a bend between two steps, and no plateau.
LEAST_OCTAVES = 0.5
# A cache ends where the latency has risen by this share of the step to the next level: of a cache
# that replaces lines at random a tenth misses at 1.1 times its size. Or, where the step is great,
# by this share of its logarithm: of a cache before memory, one miss in ten is far from its latency.
# At least by a tenth of its own latency.
END_SHARE = 0.1
END_LOG_SHARE = 0.25
END_FACTOR = 1.1
_HALF_WINDOW = 0.5  # octaves


class Confidence(StrEnum):
    """How far a level's end can be believed; `rated` has the rule."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One ring of the curve: its size, and its least disturbed latency of a step."""

    size_bytes: int
    latency_ns: float


@dataclass(frozen=True, slots=True)
class Level:
    """A level of the memory; the last one's end lies beyond the largest ring."""

    latency_ns: float
    first_bytes: int  # the smallest ring on its plateau
    fits_bytes: int  # the largest ring that it holds
    exceeds_bytes: int | None  # the smallest that it does not hold; None: none was measured
    confidence: Confidence | None  # of its end; None where none was measured
    noise: float  # the typical distance of a ring from the fitted curve, as a share of the latency


def find_levels(points: Sequence[CurvePoint]) -> tuple[Level, ...]:
    """Return the levels in a curve, fastest first; empty with fewer than four rings.

    The rule: outliers are taken out by a running median of five, then the logarithm of the latency
    is fitted by the nearest curve that never falls (isotonic regression).
    Runs of rings around which the fit rises less than FLAT_FACTOR an octave are plateaus, those
    closer than APART_FACTOR one. A level ends between the last ring below END_SHARE of the step to
    the next plateau, or END_LOG_SHARE of its logarithm where that is less, and the first above.
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
        _level(curve, run, runs[place + 1] if place + 1 < len(runs) else None)
        for place, run in enumerate(runs)
    )


@dataclass(frozen=True, slots=True)
class _Curve:
    rings: tuple[CurvePoint, ...]
    octaves: list[float]
    raw: list[float]  # log2 of the latency, as `fit`
    fit: list[float]

    def height(self, run: range) -> float:
        return median(self.fit[run.start : run.stop])

    def octaves_of(self, run: range) -> float:
        return self.octaves[run.stop - 1] - self.octaves[run.start]


def _without_outliers(values: list[float]) -> list[float]:
    """Return each value's median with two neighbours on either side, as many on both."""
    reach = [min(2, place, len(values) - 1 - place) for place in range(len(values))]
    return [median(values[at - by : at + by + 1]) for at, by in enumerate(reach)]


def _plateaus(curve: _Curve) -> list[range]:
    """Return the runs of rings around which the fit is flat; the last ring is always in one."""
    flat = [_rise(curve, place) < log2(FLAT_FACTOR) for place in range(len(curve.rings))]
    runs: list[range] = []
    start = 0
    for place in range(1, len(flat) + 1):
        if place == len(flat) or flat[place] != flat[start]:
            if flat[start]:
                runs.append(range(start, place))
            start = place
    runs = [run for run in runs if curve.octaves_of(run) >= LEAST_OCTAVES]
    last = len(flat) - 1
    if not runs or runs[-1].stop <= last:
        runs.append(range(last, last + 1))  # the curve still rises: its end stands for what follows
    return runs


def _rise(curve: _Curve, place: int) -> float:
    """Return how far the fit rises in the octave around a ring, in octaves of latency."""
    middle = curve.octaves[place]
    low = max(middle - _HALF_WINDOW, curve.octaves[0])
    high = min(middle + _HALF_WINDOW, curve.octaves[-1])
    return (_at(curve, high) - _at(curve, low)) / (high - low)


def _at(curve: _Curve, octave: float) -> float:
    """Return the fit between two rings, in a straight line."""
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
    noise = exp2(median(abs(curve.raw[at] - curve.fit[at]) for at in run)) - 1
    first = curve.rings[run.start].size_bytes
    if following is None:
        return Level(latency, first, curve.rings[-1].size_bytes, None, None, noise)
    step = exp2(curve.height(following)) - latency
    ratio = 1 + step / latency
    end = max(min(1 + END_SHARE * (ratio - 1), ratio**END_LOG_SHARE), END_FACTOR)
    threshold = curve.height(run) + log2(end)
    within = [at for at in range(run.start, following.stop) if curve.fit[at] <= threshold]
    fits = within[-1]
    exceeds = curve.rings[min(fits + 1, len(curve.rings) - 1)].size_bytes
    level = Level(latency, first, curve.rings[fits].size_bytes, exceeds, None, noise)
    open_end = following.stop - following.start == 1
    confidence = rated(level, step / latency, rings=len(within), next_is_open=open_end)
    return replace(level, confidence=confidence)


def rated(level: Level, step: float, *, rings: int, next_is_open: bool) -> Confidence:
    """Return how far a level's end can be believed.

    ``step`` is the rise to the next level, as a share of this one's latency. High: it is at least a
    half and ten times the noise, four rings or more are on the plateau, and the end is known to
    half an octave. Low: it is less than three times the noise, or there are fewer than three
    rings, or the curve still rises where it ends, so that the next level's latency is not known.
    """
    known_to = (level.exceeds_bytes or level.fits_bytes) / level.fits_bytes
    if step < 3 * level.noise or rings < 3 or next_is_open:
        return Confidence.LOW
    if step >= 0.5 and step >= 10 * level.noise and rings >= 4 and known_to <= 1.5:
        return Confidence.HIGH
    return Confidence.MEDIUM
