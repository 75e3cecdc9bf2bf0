"""The measurements of a load at several rates: rounds, and wake-ups at the same gaps."""

from dataclasses import dataclass, field

from harness.load.rates.options import RatesOptions
from harness.workload.results import LoadResult
from stallscope.statistics.estimate import CONFIDENCE_OF_FIVE, Estimate, median_estimate
from stallscope.statistics.pairs import paired_ratios


@dataclass(frozen=True, slots=True)
class RateReading:
    """One run at a rate."""

    round: int  # from 0
    rate_per_s: float
    result: LoadResult


@dataclass(frozen=True, slots=True)
class RatesMeasurement:
    """All rounds; ``wake_us`` has the round trip of a wake-up after the mean gap of each rate.

    Wake-ups are measured only if latency falls; without them, ``wake_unavailable`` is the reason.
    """

    options: RatesOptions
    readings: tuple[RateReading, ...]
    wake_us: dict[float, float] = field(default_factory=dict)
    wake_unavailable: str = ""
    interrupted: bool = False

    def results(self, rate_per_s: float) -> list[LoadResult]:
        """Return the results at a rate, in order of complete rounds."""
        return [
            reading.result
            for reading in self.readings
            if reading.rate_per_s == rate_per_s and reading.round < self.complete_rounds
        ]

    @property
    def complete_rounds(self) -> int:
        """Return the number of rounds with a run at every rate."""
        return len(self.readings) // len(self.options.rates_per_s)

    def p50_us(self, rate_per_s: float) -> Estimate:
        """Return the median of the rounds' p50 at a rate."""
        return estimate([result.latency_us.p50 for result in self.results(rate_per_s)])

    def p50_ratio(self, rate_per_s: float, reference_per_s: float) -> Estimate:
        """Return p50 at a rate over p50 at another one, round by round."""
        values = [
            [result.latency_us.p50 for result in self.results(rate)]
            for rate in (rate_per_s, reference_per_s)
        ]
        return estimate(paired_ratios(*values))


def estimate(values: list[float | None] | list[float]) -> Estimate:
    """Return the median of the known values with the interval that five rounds allow."""
    numbers = [value for value in values if value is not None]
    return median_estimate(numbers, confidence=CONFIDENCE_OF_FIVE)
