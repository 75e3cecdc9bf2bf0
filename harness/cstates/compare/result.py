"""The result of `stallscope cstates compare`: metrics of all settings, conclusions, notes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from cstates.comparison.candidates import CONTROL
from cstates.comparison.differences import DifferenceStatus, SettingComparison
from cstates.pinning.plan import PinPlan
from harness.cstates.compare.conclusions import conclusions
from harness.cstates.compare.options import CStatesCompareOptions
from harness.cstates.compare.subject import LoadPlan
from harness.pin.result import PlannedChange, planned_change
from stallscope.documents import Amount, Count, Document, Number, Record, Share
from stallscope.statistics.estimate import CONFIDENCE_OF_FIVE, median_estimate
from stallscope.statistics.multiple_tests import ALPHA


class ComparedLoad(Record, frozen=True, kw_only=True):
    """The load of --load."""

    loop: Literal["open", "closed"] = "open"
    rate_per_s: Amount | None  # of an open loop
    seconds: Amount  # measured time of each run
    warmup_s: Amount  # before it, not measured
    connections: tuple[Count, ...]  # of each row
    processes: Count = 2  # in the chain of a request: loader, front end, server


class ComparedMetric(Record, frozen=True, kw_only=True):
    """A metric under one setting, and its difference from the baseline.

    With several numbers of connections a metric is named with its number: `latency_p50_us:4`.
    """

    values: tuple[Number, ...]  # in order of time
    median: Number | None
    low: Number | None  # interval of the median
    high: Number | None
    delta_share: Number | None  # relative difference of the medians
    p: Amount | None
    p_holm: Amount | None
    shown: bool | None  # the difference is significant
    standing: DifferenceStatus | None


class ComparedSetting(Record, frozen=True, kw_only=True):
    """A setting with its changes, metrics and state entries."""

    name: str
    plan: tuple[PlannedChange, ...]
    metrics: dict[str, ComparedMetric]
    entries: tuple[dict[str, Count], ...]  # of each run, by state
    runs_without_effect: Count


class SkippedCandidate(Record, frozen=True, kw_only=True):
    """A setting that the machine does not support or the user may not apply."""

    setting: str
    why: str


class CStatesCompareResult(Document, frozen=True, kw_only=True, tag="stallscope.cstates.compare/1"):
    """Runs of one command or load under several settings."""

    source: Literal["measured"] = "measured"
    command: tuple[str, ...]
    load: ComparedLoad | None
    rounds: Count  # complete ones
    requested_rounds: Count
    interrupted: bool
    seed: Count
    alpha: Amount
    min_effect: Amount
    control: str
    others_share: Share | None  # of the CPUs' time
    settings: tuple[ComparedSetting, ...]  # baseline and control first
    left_out: tuple[SkippedCandidate, ...]
    not_shown: tuple[str, ...] = ()  # what this machine cannot show, whatever is measured
    conclusions: tuple[str, ...]
    notes: tuple[str, ...]


def compare_result(
    options: CStatesCompareOptions,
    comparison: SettingComparison,
    plans: Mapping[str, PinPlan],
    notes: Iterable[str],
    *,
    rounds: int,
    interrupted: bool,
) -> CStatesCompareResult:
    """Return the result of a comparison; ``plans`` by the setting's name."""
    load = options.load
    left_out = options.candidates.left_out
    return CStatesCompareResult(
        command=options.command,
        load=_load(load) if load else None,
        rounds=rounds,
        requested_rounds=options.rounds,
        interrupted=interrupted,
        seed=options.seed,
        alpha=ALPHA,
        min_effect=options.min_effect,
        control=CONTROL,
        others_share=comparison.others_share,
        settings=tuple(_setting(comparison, name, plans.get(name)) for name in comparison.settings),
        left_out=tuple(SkippedCandidate(setting=name, why=reason) for name, reason in left_out),
        not_shown=options.candidates.not_shown,
        conclusions=tuple(conclusions(comparison, rounds)),
        notes=tuple(_notes(options, comparison, notes, rounds=rounds, interrupted=interrupted)),
    )


def _load(load: LoadPlan) -> ComparedLoad:
    return ComparedLoad(
        loop="closed" if load.rate_per_s is None else "open",
        rate_per_s=load.rate_per_s,
        seconds=load.seconds,
        warmup_s=load.warmup_s,
        connections=load.connections,
        processes=load.processes,
    )


def _setting(comparison: SettingComparison, name: str, plan: PinPlan | None) -> ComparedSetting:
    runs = comparison.runs_of(name)
    return ComparedSetting(
        name=name,
        plan=tuple(map(planned_change, plan.changes)) if plan else (),
        metrics={metric: _metric(comparison, name, metric) for metric in comparison.metrics},
        entries=tuple(run.entries for run in runs),
        runs_without_effect=sum(run.without_effect for run in runs),
    )


def _metric(comparison: SettingComparison, setting: str, metric: str) -> ComparedMetric:
    values = comparison.values(setting, metric)
    estimate = median_estimate(values, confidence=CONFIDENCE_OF_FIVE)
    difference = comparison.difference(setting, metric)
    return ComparedMetric(
        values=values,
        median=estimate.median,
        low=estimate.low,
        high=estimate.high,
        delta_share=difference.share if difference else None,
        p=difference.p if difference else None,
        p_holm=difference.p_corrected if difference else None,
        shown=difference.significant if difference else None,
        standing=difference.status if difference and setting != CONTROL else None,
    )


def _notes(
    options: CStatesCompareOptions,
    comparison: SettingComparison,
    notes: Iterable[str],
    *,
    rounds: int,
    interrupted: bool,
) -> Iterator[str]:
    if interrupted:
        yield f"interrupted: {rounds} of {options.rounds} rounds are complete"
    for setting in comparison.settings:
        runs = comparison.runs_of(setting)
        ineffective = sum(run.without_effect for run in runs)
        if ineffective:
            yield (
                f"{setting}: accepted but without effect in {ineffective} of {len(runs)} runs: "
                "closed states were entered"
            )
    for name, reason in options.candidates.left_out:
        yield f"{name} was left out: {reason}"
    yield from notes
