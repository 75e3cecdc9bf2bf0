"""The storm lab's results: rounds of each setting, their medians, and ratios round by round."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.labs.storm.plan import StormOptions, against, settings
from harness.labs.storm.trial import Recommended
from harness.labs.verdict import lab_estimate
from ioprobe.storm import ReaderLatency, Setting, StormRound
from stallscope.errors import StallscopeError
from stallscope.statistics.estimate import Estimate, missing
from stallscope.statistics.pairs import paired_ratios

Pick = Callable[[StormRound], float | None]


def _reader(pick: Callable[[ReaderLatency], float]) -> Pick:
    return lambda one: None if one.reader is None else pick(one.reader)


READER: dict[str, Pick] = {
    "p50": _reader(lambda found: found.p50),
    "p90": _reader(lambda found: found.p90),
    "p99": _reader(lambda found: found.p99),
    "p99.9": _reader(lambda found: found.p999),
    "max": _reader(lambda found: found.max),
}
WRITER = "writer_bytes_per_s"
OTHERS: dict[str, Pick] = {
    WRITER: lambda one: one.writer_bytes_per_s,
    "pending": lambda one: one.pending,
    "in_flight": lambda one: one.in_flight,
    "iowait_share": lambda one: one.iowait_share,
}
COMPARED = {**READER, WRITER: OTHERS[WRITER]}


@dataclass(frozen=True, slots=True)
class StormResults:
    """All rounds with what they were made of; ``failure`` is what ended them, if the disk did."""

    options: StormOptions
    modelled: bool
    recommended: Recommended
    rounds: tuple[StormRound, ...]
    facts: dict[str, str]
    warnings: tuple[str, ...]
    complete: bool
    failure: StallscopeError | None
    seconds: float

    def settings(self) -> tuple[Setting, ...]:
        """Return the settings that have been measured, in the order of a round."""
        measured = {one.run.setting for one in self.rounds}
        order = settings(self.options, self.recommended.limit)
        return tuple(one for one in order if one in measured)

    def all_of(self, setting: Setting) -> list[StormRound]:
        """Return a setting's rounds, also those that did not pass their checks."""
        return [one for one in self.rounds if one.run.setting == setting]

    def kept(self, setting: Setting) -> list[StormRound]:
        """Return a setting's rounds that passed their checks."""
        return [one for one in self.all_of(setting) if not one.failed]

    def estimate(self, setting: Setting, pick: Pick) -> Estimate:
        """Return the median of a quantity over the rounds that passed."""
        found = [pick(one) for one in self.kept(setting)]
        return lab_estimate([value for value in found if value is not None])

    def ratio(self, upper: Setting, lower: Setting, pick: Pick) -> Estimate:
        """Return the median ratio of two settings, of rounds in which both passed."""
        if upper == lower:
            return missing("the settings are the same")
        over, under = _by_round(self.kept(upper), pick), _by_round(self.kept(lower), pick)
        both = sorted(over.keys() & under.keys())
        return lab_estimate(paired_ratios([over[at] for at in both], [under[at] for at in both]))

    @property
    def limited(self) -> Setting:
        """Return the recommended limit with shares."""
        return Setting(self.recommended.limit, self.options.shares)

    @property
    def against(self) -> Setting:
        """Return what it is set against, with the same shares: 128; for the server no limit."""
        return Setting(against(self.options), self.options.shares)


def _by_round(found: Sequence[StormRound], pick: Pick) -> dict[int, float | None]:
    return {one.run.round: pick(one) for one in found}
