"""Runs of one command under several settings: spread, difference from "as it is", its p-value.

Each setting's runs are tested against those of "as it is" (Mann and Whitney's U), and the p-values
corrected by Holm for all settings and metrics that were tried: else of many one would seem to gain
by chance. "As it is" runs twice in each round, and the second is the control: what it differs by
from the first no setting made. A difference counts that is neither within that nor within a least
effect, as chance alone decides nothing where runs within one comparison differ less than
comparisons do.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median

from stallscope.statistics.multiple_tests import ALPHA, holm, min_group_size
from stallscope.statistics.rank_tests import mann_whitney

LEAST_ENTRIES_PER_S = 1.0  # of sleep states as it is: fewer, and sleeping can cost nothing
MOST_OTHERS = 0.1  # of the CPUs' time: where others had more, that little gains says little
LEAST_TIMED_S = 1.0  # CPU seconds: of less the kernel's ticks of 10 ms tell too little
LEAST_EFFECT = 0.01  # share of a median; what is less is not told from how programs vary


@dataclass(frozen=True, slots=True)
class Run:
    """One run under a setting. ``metrics`` by name, less being better; None: not measured."""

    setting: str
    seconds: float
    metrics: dict[str, float | None]
    entries: dict[str, int]  # by the state's name; unknown is absent
    without_effect: bool = False  # closed states were entered all the same
    cpus: int = 0  # that were pinned
    others_s: float | None = None  # CPU seconds that others had of them; None: not told


class Standing(StrEnum):
    """What a difference counts for."""

    SHOWN = "shown"
    CHANCE = "may be chance"
    SMALL = "less than the least effect"
    CONTROL = "within what as it is differs from itself"
    UNSTEADY = "as it is differs from itself beyond chance"


@dataclass(frozen=True, slots=True)
class Difference:
    """A metric under a setting, or of the control, against "as it is"; None without values."""

    metric: str
    setting: str
    usual: tuple[float, ...]
    values: tuple[float, ...]
    p: float | None
    compared: int  # settings times metrics
    least_effect: float
    p_corrected: float | None = None  # by Holm; None of the control
    control_share: float | None = None  # by which "as it is" differed from itself
    control_p: float | None = None

    @property
    def share(self) -> float | None:
        """Return by what share the median differs; below zero is a gain."""
        if not (self.usual and self.values) or not median(self.usual):
            return None
        return median(self.values) / median(self.usual) - 1

    @property
    def too_few(self) -> bool:
        """Return whether so few runs could show no difference, however great."""
        return min(len(self.usual), len(self.values)) < min_group_size(self.compared)

    @property
    def unsteady(self) -> bool:
        """Return whether "as it is" differed from itself beyond chance, so nothing can be told."""
        return self.control_p is not None and self.control_p < ALPHA

    @property
    def standing(self) -> Standing:
        """Return whether the difference counts, and if not, why."""
        if self.p_corrected is None or self.p_corrected >= ALPHA:
            return Standing.CHANCE
        size = abs(self.share or 0.0)
        if self.unsteady:
            return Standing.UNSTEADY
        if size < self.least_effect:
            return Standing.SMALL
        return Standing.CONTROL if size <= abs(self.control_share or 0.0) else Standing.SHOWN

    @property
    def shown(self) -> bool:
        """Return whether it is more than chance, the least effect and what the control differs."""
        return self.standing is Standing.SHOWN

    @property
    def gain(self) -> bool:
        """Return whether it is shown to be less, and less is better."""
        return self.shown and (self.share or 0.0) < 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """All runs of all settings: "as it is", the control, which is the same, and the others."""

    settings: tuple[str, ...]
    metrics: tuple[str, ...]
    runs: tuple[Run, ...]
    differences: tuple[Difference, ...]
    controls: tuple[Difference, ...]  # one a metric

    def runs_of(self, setting: str) -> tuple[Run, ...]:
        """Return the runs of one setting, in order of time."""
        return tuple(run for run in self.runs if run.setting == setting)

    def values(self, setting: str, metric: str) -> tuple[float, ...]:
        """Return what was measured of a metric, in order of time."""
        found = (run.metrics[metric] for run in self.runs_of(setting))
        return tuple(value for value in found if value is not None)

    def difference(self, setting: str, metric: str) -> Difference | None:
        """Return how a setting, or the control, differs; None of "as it is"."""
        wanted = (setting, metric)
        told = (*self.differences, *self.controls)
        return next((d for d in told if (d.setting, d.metric) == wanted), None)

    @property
    def too_few(self) -> bool:
        """Return whether there are too few runs for any verdict."""
        return all(each.too_few for each in self.differences)

    @property
    def gains(self) -> tuple[Difference, ...]:
        """Return what gained, the greatest first."""
        found = (each for each in self.differences if each.gain)
        return tuple(sorted(found, key=lambda each: each.share or 0.0))

    @property
    def entries_per_s(self) -> float | None:
        """Return how often sleep states were entered as it is; None where a run was not counted."""
        usual = self.runs_of(self.settings[0])
        seconds = sum(run.seconds for run in usual)
        if not seconds or not all(run.entries for run in usual):
            return None
        return sum(sum(run.entries.values()) for run in usual) / seconds

    @property
    def others_share(self) -> float | None:
        """Return the share of the CPUs' time that others had in all runs; None where not told."""
        known = [run.others_s for run in self.runs if run.others_s is not None]
        whole_s = sum(run.seconds * run.cpus for run in self.runs)
        if len(known) < len(self.runs) or whole_s < LEAST_TIMED_S:
            return None
        return min(1.0, max(0.0, sum(known) / whole_s))

    @property
    def disturbed(self) -> bool:
        """Return whether others kept the CPUs so busy that sleeping could hardly show its cost."""
        return (self.others_share or 0.0) > MOST_OTHERS

    @property
    def never_idled(self) -> bool:
        """Return whether the CPUs hardly slept as it is, so that sleeping cost nothing."""
        rate = self.entries_per_s
        return rate is not None and rate < LEAST_ENTRIES_PER_S


def compare(
    settings: Sequence[str], runs: Sequence[Run], *, least_effect: float = LEAST_EFFECT
) -> Comparison:
    """Return the comparison of runs; the first setting is "as it is", the second its control."""
    metrics = tuple(dict.fromkeys(name for run in runs for name in run.metrics))
    bare = Comparison(tuple(settings), metrics, tuple(runs), (), ())
    found = tuple(each for metric in metrics for each in _differences(bare, metric, least_effect))
    tested = [each.p for each in found if each.p is not None]
    corrected = iter(holm(tested))
    return replace(
        bare,
        differences=tuple(
            each if each.p is None else replace(each, p_corrected=next(corrected)) for each in found
        ),
        controls=tuple(
            _difference(bare, metric, settings[1], least_effect)
            for metric in metrics
            if len(settings) > 1
        ),
    )


def _differences(found: Comparison, metric: str, least_effect: float) -> Iterator[Difference]:
    for setting in found.settings[2:]:
        control = _difference(found, metric, found.settings[1], least_effect)
        yield replace(
            _difference(found, metric, setting, least_effect),
            control_share=control.share,
            control_p=control.p,
        )


def _difference(found: Comparison, metric: str, setting: str, least_effect: float) -> Difference:
    usual = found.values(found.settings[0], metric)
    values = found.values(setting, metric)
    test = mann_whitney(values, usual)
    return Difference(
        metric=metric,
        setting=setting,
        usual=usual,
        values=values,
        p=None if test is None else test.p,
        compared=max(1, len(found.settings) - 2) * len(found.metrics),
        least_effect=least_effect,
    )


def shuffled_rounds(settings: int, rounds: int, *, seed: int) -> Iterator[list[int]]:
    """Yield each round's order of settings, by number: every pair of rounds is one order and back.

    So what drifts meets all alike within a pair, and no setting always follows the same other one.
    """
    source = random.Random(seed)  # noqa: S311 - an order of runs, no secret
    order: list[int] = []
    for number in range(rounds):
        if number % 2:
            order.reverse()
        else:
            order = source.sample(range(settings), settings)
        yield list(order)
