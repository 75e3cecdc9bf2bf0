"""The rounds of a storm: medians of each setting, and ratios of two settings round by round."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from harness.labs.storm.options import StormOptions
from harness.labs.storm.plan import reference_limit, settings
from harness.labs.storm.trial import Recommendation
from harness.labs.verdict import lab_estimate
from harness.topdown.phase_counts import PhaseCounts
from ioprobe.storm import ReaderLatency, StormRound, StormSetting
from stallscope.errors import StallscopeError
from stallscope.statistics.estimate import Estimate, missing
from stallscope.statistics.pairs import paired_ratios

StormQuantity = Callable[[StormRound], float | None]


def _of_reader(quantity: Callable[[ReaderLatency], float]) -> StormQuantity:
    return lambda result: None if result.reader is None else quantity(result.reader)


READER: dict[str, StormQuantity] = {
    "p50": _of_reader(lambda reader: reader.p50),
    "p90": _of_reader(lambda reader: reader.p90),
    "p99": _of_reader(lambda reader: reader.p99),
    "p99.9": _of_reader(lambda reader: reader.p999),
    "max": _of_reader(lambda reader: reader.max),
}
WRITER = "writer_bytes_per_s"
OTHERS: dict[str, StormQuantity] = {
    WRITER: lambda result: result.writer_bytes_per_s,
    "pending": lambda result: result.pending,
    "in_flight": lambda result: result.in_flight,
    "iowait_share": lambda result: result.iowait_share,
}
QUANTITIES = {**READER, **OTHERS}
COMPARED = {**READER, WRITER: OTHERS[WRITER]}


@dataclass(frozen=True, slots=True)
class StormMeasurement:
    """All rounds of a storm; ``failure`` is the error of the disk that ended them, if any."""

    options: StormOptions
    modelled: bool
    recommendation: Recommendation
    rounds: tuple[StormRound, ...]
    facts: dict[str, str]
    warnings: tuple[str, ...]
    complete: bool
    failure: StallscopeError | None
    seconds: float
    counters: Mapping[str, PhaseCounts] = field(default_factory=dict)  # by setting_text()

    def settings(self) -> tuple[StormSetting, ...]:
        """Return the settings that have a round, in the order of a round."""
        measured = {result.run.setting for result in self.rounds}
        order = settings(self.options, self.recommendation.limit)
        return tuple(setting for setting in order if setting in measured)

    def all_rounds(self, setting: StormSetting) -> list[StormRound]:
        """Return the rounds of a setting, including those that failed their checks."""
        return [result for result in self.rounds if result.run.setting == setting]

    def accepted_rounds(self, setting: StormSetting) -> list[StormRound]:
        """Return the rounds of a setting that passed their checks."""
        return [result for result in self.all_rounds(setting) if not result.failed]

    def estimate(self, setting: StormSetting, quantity: StormQuantity) -> Estimate:
        """Return the median of a quantity over the accepted rounds."""
        return lab_estimate(map(quantity, self.accepted_rounds(setting)))

    def ratio(
        self, numerator: StormSetting, denominator: StormSetting, quantity: StormQuantity
    ) -> Estimate:
        """Return the median ratio of two settings over the rounds that accepted both."""
        if numerator == denominator:
            return missing("both settings are the same")
        over = _by_round(self.accepted_rounds(numerator), quantity)
        under = _by_round(self.accepted_rounds(denominator), quantity)
        both = sorted(over.keys() & under.keys())
        ratios = paired_ratios(
            [over[number] for number in both], [under[number] for number in both]
        )
        return lab_estimate(ratios)

    @property
    def recommended_setting(self) -> StormSetting:
        """Return the recommended limit with shares."""
        return StormSetting(self.recommendation.limit, self.options.shares)

    @property
    def reference_setting(self) -> StormSetting:
        """Return the setting that it is compared with: 128, or no limit with the server."""
        return StormSetting(reference_limit(self.options), self.options.shares)


def _by_round(results: Sequence[StormRound], quantity: StormQuantity) -> dict[int, float | None]:
    return {result.run.round: quantity(result) for result in results}
