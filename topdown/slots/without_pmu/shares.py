"""Shares of samples with their intervals."""

from dataclasses import dataclass

from stallscope.statistics.intervals import wilson_interval
from topdown.slots.measurement import Interval


@dataclass(frozen=True, slots=True)
class Share:
    """``count`` of ``whole`` samples."""

    count: int
    whole: int

    @property
    def value(self) -> float | None:
        """Return the share, 0..1, or None without samples."""
        return self.count / self.whole if self.whole else None

    @property
    def interval(self) -> Interval:
        """Return the 95 % interval for independent samples, 0 to 1 without samples."""
        return Interval(*wilson_interval(self.count, self.whole))

    def text(self) -> str:
        """Return the share in percent with its interval."""
        if self.value is None:
            return "n/a"
        interval = self.interval
        return f"{self.value:.1%} [{interval.low:.1%}, {interval.high:.1%}]".replace("%", " %")
