"""Runs of one command under several settings: their differences from the baseline, and p-values.

Each setting's runs are tested against those of the baseline (Mann and Whitney's U), and the
p-values are corrected by Holm's method for all settings and metrics, since of many comparisons one
would otherwise seem to gain by chance. The baseline runs twice in each round. The second is the
control: its difference from the first is not due to any setting. A difference is significant only
if it also exceeds the control's and a minimum effect, because runs within one comparison vary less
than repeated comparisons do.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median

from stallscope.statistics.multiple_tests import ALPHA, holm, min_group_size
from stallscope.statistics.rank_tests import mann_whitney

MIN_ENTRIES_PER_S = 1.0  # of sleep states in the baseline; with fewer, sleeping costs nothing
MAX_OTHERS_SHARE = 0.1  # of CPU time used by others; beyond, a missing gain is no evidence
MIN_CPU_TIME_S = 1.0  # with less, the kernel's ticks of 10 ms are too coarse
MIN_EFFECT = 0.01  # share of a median; smaller differences are within a program's variation


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run under a setting; in every metric less is better, and None is not measured.

    Runs of several workloads have metrics of different names.
    """

    setting: str
    seconds: float
    metrics: dict[str, float | None]
    entries: dict[str, int]  # by state name; unknown ones are absent
    without_effect: bool = False  # closed states were still entered
    cpus: int = 0  # number of pinned CPUs
    others_s: float | None = None  # CPU time of other programs on them; None: unknown


class DifferenceStatus(StrEnum):
    """Whether a difference is significant, and if not, why."""

    SHOWN = "shown"
    CHANCE = "may be chance"
    SMALL = "less than the least effect"
    CONTROL = "within what as it is differs from itself"
    UNSTEADY = "as it is differs from itself beyond chance"


@dataclass(frozen=True, slots=True)
class Difference:
    """A metric under a setting, or of the control, compared with the baseline."""

    metric: str
    setting: str
    baseline: tuple[float, ...]
    values: tuple[float, ...]
    p: float | None  # None without values
    compared: int  # settings times metrics
    min_effect: float
    p_corrected: float | None = None  # by Holm; None for the control
    control_share: float | None = None  # difference of the control from the baseline
    control_p: float | None = None

    @property
    def share(self) -> float | None:
        """Return the relative difference of the medians; negative is a gain."""
        if not (self.baseline and self.values) or not median(self.baseline):
            return None
        return median(self.values) / median(self.baseline) - 1

    @property
    def too_few(self) -> bool:
        """Return whether the runs are too few to show any difference."""
        return min(len(self.baseline), len(self.values)) < min_group_size(self.compared)

    @property
    def unsteady(self) -> bool:
        """Return whether the control differs from the baseline beyond chance: no verdict."""
        return self.control_p is not None and self.control_p < ALPHA

    @property
    def status(self) -> DifferenceStatus:
        """Return whether the difference is significant, and if not, why."""
        if self.p_corrected is None or self.p_corrected >= ALPHA:
            return DifferenceStatus.CHANCE
        size = abs(self.share or 0.0)
        if self.unsteady:
            return DifferenceStatus.UNSTEADY
        if size < self.min_effect:
            return DifferenceStatus.SMALL
        if size <= abs(self.control_share or 0.0):
            return DifferenceStatus.CONTROL
        return DifferenceStatus.SHOWN

    @property
    def significant(self) -> bool:
        """Return whether it exceeds chance, the minimum effect and the control's difference."""
        return self.status is DifferenceStatus.SHOWN

    @property
    def gain(self) -> bool:
        """Return whether the metric is significantly lower, which is better."""
        return self.significant and (self.share or 0.0) < 0


@dataclass(frozen=True, slots=True)
class SettingComparison:
    """All runs of all settings: the baseline, its control, and the others."""

    settings: tuple[str, ...]
    metrics: tuple[str, ...]
    runs: tuple[ComparedRun, ...]
    differences: tuple[Difference, ...]
    controls: tuple[Difference, ...]  # one per metric

    def runs_of(self, setting: str) -> tuple[ComparedRun, ...]:
        """Return the runs of a setting, in order of time."""
        return tuple(run for run in self.runs if run.setting == setting)

    def values(self, setting: str, metric: str) -> tuple[float, ...]:
        """Return the measured values of a metric, in order of time."""
        measured = (run.metrics.get(metric) for run in self.runs_of(setting))
        return tuple(value for value in measured if value is not None)

    def difference(self, setting: str, metric: str) -> Difference | None:
        """Return the difference of a setting or the control; None for the baseline."""
        for difference in (*self.differences, *self.controls):
            if (difference.setting, difference.metric) == (setting, metric):
                return difference
        return None

    @property
    def too_few(self) -> bool:
        """Return whether there are too few runs for any verdict."""
        return all(difference.too_few for difference in self.differences)

    @property
    def gains(self) -> tuple[Difference, ...]:
        """Return the significant gains, the greatest first."""
        gains = [difference for difference in self.differences if difference.gain]
        return tuple(sorted(gains, key=lambda difference: difference.share or 0.0))

    @property
    def entries_per_s(self) -> float | None:
        """Return the baseline's sleep state entries per second; None if a run has no counts."""
        baseline = self.runs_of(self.settings[0])
        seconds = sum(run.seconds for run in baseline)
        if not seconds or not all(run.entries for run in baseline):
            return None
        return sum(sum(run.entries.values()) for run in baseline) / seconds

    @property
    def others_share(self) -> float | None:
        """Return the share of the CPUs' time that others used in all runs; None if unknown."""
        others_s = [run.others_s for run in self.runs if run.others_s is not None]
        total_s = sum(run.seconds * run.cpus for run in self.runs)
        if len(others_s) < len(self.runs) or total_s < MIN_CPU_TIME_S:
            return None
        return min(1.0, max(0.0, sum(others_s) / total_s))

    @property
    def disturbed(self) -> bool:
        """Return whether other programs kept the CPUs busy: sleep states cost almost nothing."""
        return (self.others_share or 0.0) > MAX_OTHERS_SHARE

    @property
    def never_idled(self) -> bool:
        """Return whether the CPUs almost never slept in the baseline: sleep states cost nothing."""
        rate = self.entries_per_s
        return rate is not None and rate < MIN_ENTRIES_PER_S


def compare(
    settings: Sequence[str],
    runs: Sequence[ComparedRun],
    *,
    min_effect: float = MIN_EFFECT,
    order: Callable[[str], int] | None = None,
) -> SettingComparison:
    """Return the comparison of runs; the first setting is the baseline, the second its control.

    ``order`` sorts the metrics by their names; without it they are in order of their first run.
    """
    measured = dict.fromkeys(name for run in runs for name in run.metrics)
    metrics = tuple(measured if order is None else sorted(measured, key=order))
    uncompared = SettingComparison(tuple(settings), metrics, tuple(runs), (), ())
    differences = [
        difference
        for metric in metrics
        for difference in _differences(uncompared, metric, min_effect)
    ]
    p_values = [difference.p for difference in differences if difference.p is not None]
    corrected = iter(holm(p_values))
    return replace(
        uncompared,
        differences=tuple(
            difference if difference.p is None else replace(difference, p_corrected=next(corrected))
            for difference in differences
        ),
        controls=tuple(
            _difference(uncompared, metric, settings[1], min_effect)
            for metric in metrics
            if len(settings) > 1
        ),
    )


def _differences(
    comparison: SettingComparison, metric: str, min_effect: float
) -> Iterator[Difference]:
    for setting in comparison.settings[2:]:
        control = _difference(comparison, metric, comparison.settings[1], min_effect)
        yield replace(
            _difference(comparison, metric, setting, min_effect),
            control_share=control.share,
            control_p=control.p,
        )


def _difference(
    comparison: SettingComparison, metric: str, setting: str, min_effect: float
) -> Difference:
    baseline = comparison.values(comparison.settings[0], metric)
    values = comparison.values(setting, metric)
    test = mann_whitney(values, baseline)
    return Difference(
        metric=metric,
        setting=setting,
        baseline=baseline,
        values=values,
        p=None if test is None else test.p,
        compared=max(1, len(comparison.settings) - 2) * len(comparison.metrics),
        min_effect=min_effect,
    )


def shuffled_rounds(settings: int, rounds: int, *, seed: int) -> Iterator[list[int]]:
    """Yield the order of settings, by index, of each round.

    Every pair of rounds is a random order and its reverse. Drift thus affects all settings of a
    pair equally, and no setting always follows the same other one.
    """
    generator = random.Random(seed)  # noqa: S311 - an order of runs, not a secret
    order: list[int] = []
    for number in range(rounds):
        if number % 2:
            order.reverse()
        else:
            order = generator.sample(range(settings), settings)
        yield list(order)
