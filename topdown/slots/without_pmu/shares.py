"""Shares of samples with what their number allows to say of them."""

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
        """Return the share, 0..1; None of no samples."""
        return self.count / self.whole if self.whole else None

    @property
    def interval(self) -> Interval:
        """Return the 95 % interval, as if samples were drawn independently; 0 to 1 without any."""
        return Interval(*wilson_interval(self.count, self.whole))

    def text(self) -> str:
        """Return the share in percent with its interval."""
        if self.value is None:
            return "n/a"
        interval = self.interval
        return f"{self.value:.1%} [{interval.low:.1%}, {interval.high:.1%}]".replace("%", " %")
