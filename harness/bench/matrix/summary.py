"""Mean and largest deviation without outliers, as the benchmark tool of 2017 printed them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

# Upper bounds, divisors and units of durations in seconds; three digits are shown.
_TIMES = (
    (1e-6, 1e-9, "ns"),
    (1e-3, 1e-6, "us"),
    (1.0, 1e-3, "ms"),
    (math.inf, 1.0, "s"),
)


@dataclass(frozen=True, slots=True)
class Kept:
    """The values of a sample without outliers."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Return the mean."""
        return math.fsum(self.values) / len(self.values)

    @property
    def deviation(self) -> float:
        """Return the larger relative deviation of minimum and maximum from the mean."""
        mean = self.mean
        if mean == 0:
            return 0.0
        largest = max(max(self.values) - mean, mean - min(self.values))
        return largest / abs(mean)


def without_outliers(values: Sequence[float]) -> Kept:
    """Return the values within 1.5 interquartile ranges of the quartiles."""
    ordered = sorted(value for value in values if math.isfinite(value))
    low, high = quartile(ordered, 0.25), quartile(ordered, 0.75)
    margin = 1.5 * (high - low)
    return Kept(tuple(value for value in ordered if low - margin <= value <= high + margin))


def quartile(ordered: Sequence[float], share: float) -> float:
    """Return a quantile by definition 8 of Hyndman and Fan, Sample quantiles, 1996."""
    if not ordered:
        return math.nan
    place = 1 / 3 + share * (len(ordered) + 1 / 3)
    rank = int(place)
    if rank < 1:
        return ordered[0]
    if rank >= len(ordered):
        return ordered[-1]
    return ordered[rank - 1] + (place - rank) * (ordered[rank] - ordered[rank - 1])


def summary_text(kept: Kept | None, unit: str) -> str:
    """Return mean and deviation, such as ``516us ± 8%``; empty without values."""
    if kept is None:
        return ""
    return f"{value_text(kept.mean, unit)} ±{round(100 * kept.deviation):2d}%"


def value_text(value: float, unit: str) -> str:
    """Return a value with three significant digits and a prefix."""
    if unit.startswith("sec"):
        for bound, divisor, name in _TIMES:
            if abs(value) < bound * (1 - 5e-4):
                return _three_digits(value / divisor) + name
    for bound, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= bound * (1 - 5e-4):
            return _three_digits(value / bound) + name
    return _three_digits(value)


def _three_digits(value: float) -> str:
    size = abs(value)
    digits = 0 if size >= 99.95 else 1 if size >= 9.995 else 2
    return f"{value:.{digits}f}"
