"""Shares of samples with what their number allows to say of them."""

import math
from dataclasses import dataclass

from topdown.slots.measurement import Interval

_Z = 1.959964  # of the normal distribution, for 95 %


@dataclass(frozen=True, slots=True)
class Share:
    """``count`` of ``whole`` samples."""

    count: int
    whole: int

    @property
    def value(self) -> float | None:
        """Return the share, 0..1; None of no samples."""
        return self.count / self.whole if self.whole else None

    @property
    def interval(self) -> Interval:
        """Return the 95 % interval of a binomial share (Wilson 1927), as if samples were drawn
        independently; 0 to 1 of no samples.
        """
        n, z2 = self.whole, _Z * _Z
        if not n:
            return Interval(0.0, 1.0)
        p = self.count / n
        middle = (p + z2 / (2 * n)) / (1 + z2 / n)
        half = _Z * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
        low = 0.0 if self.count == 0 else max(0.0, middle - half)
        high = 1.0 if self.count == n else min(1.0, middle + half)
        return Interval(low, high)

    def text(self) -> str:
        """Return the share in percent with its interval."""
        if self.value is None:
            return "n/a"
        interval = self.interval
        return f"{self.value:.1%} [{interval.low:.1%}, {interval.high:.1%}]".replace("%", " %")
