"""The recommended limit: the smallest that keeps the writer's bandwidth.

A trial measures the limits with the reader running. The writer's own response curve would
underestimate the limit: a reader that always has a request on the disk takes one place from the
writer, and the knee of the curve already loses 5 % by definition.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from harness.labs.storm.options import REFERENCE_LIMIT, StormOptions
from harness.labs.storm.plan import runs
from ioprobe.storm import StormRound, StormRun
from stallscope.documents import Amount, Count, Record
from stallscope.statistics.isotonic import isotonic_regression

KEPT_SHARE = 0.95  # of the writer's bandwidth at 128; the verdict calls a lower share a price


class TrialLimit(Record, frozen=True):
    """A limit of the trial, and the writer's mean bandwidth as a share of that at 128."""

    limit: Count
    bandwidth_share: Amount
    rounds: Count  # that measured both limits


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The recommended limit, the reason, and the trial that selected it."""

    limit: int
    how: str
    tried: tuple[TrialLimit, ...] = ()


def trial_options(options: StormOptions) -> StormOptions:
    """Return the options of the trial, which is a storm of short rounds."""
    trial = options.trial
    return replace(
        options,
        rounds=trial.rounds,
        duration_s=trial.duration_s,
        warmup_s=trial.warmup_s,
        rest_s=0.0,
        limits=trial.limits,
        recommended=REFERENCE_LIMIT,
        first_come=False,
        no_limit=False,
    )


def trial_runs(options: StormOptions) -> tuple[StormRun, ...]:
    """Return the runs of the trial, which does not measure the reader alone."""
    return tuple(run for run in runs(trial_options(options), REFERENCE_LIMIT) if run.setting.writes)


def recommend_limit(options: StormOptions, rounds: Sequence[StormRound]) -> Recommendation | None:
    """Return the smallest limit that keeps the writer's bandwidth; 128 if no limit does.

    Bandwidth does not fall as the limit rises, so falling readings are averaged (isotonic
    regression). None if no round measured both 128 and another limit.
    """
    reference = _bandwidth_by_round(rounds, REFERENCE_LIMIT)
    limits = sorted(set(options.trial.limits) - {REFERENCE_LIMIT})
    shares = [_mean_share(_bandwidth_by_round(rounds, limit), reference) for limit in limits]
    tried = [
        TrialLimit(limit, share, n) for limit, (share, n) in zip(limits, shares, strict=True) if n
    ]
    if not tried:
        return None
    fitted = isotonic_regression([*(trial.bandwidth_share for trial in tried), 1.0])
    kept = [trial.limit for trial, share in zip(tried, fitted, strict=False) if share >= KEPT_SHARE]
    how = f"the smallest that keeps {KEPT_SHARE:.0%} of the writer's bandwidth at {REFERENCE_LIMIT}"
    if not kept:
        how = f"no smaller limit keeps {KEPT_SHARE:.0%} of the writer's bandwidth"
    names = ", ".join(str(trial.limit) for trial in tried)
    n = min(trial.rounds for trial in tried)
    limit = min(kept, default=REFERENCE_LIMIT)
    return Recommendation(limit, f"{how}; tried {names} in {n} short rounds", tuple(tried))


def _mean_share(bandwidths: dict[int, float], reference: dict[int, float]) -> tuple[float, int]:
    """Return mean bandwidth over mean reference in the rounds with both, and their number."""
    both = bandwidths.keys() & reference.keys()
    total = sum(reference[number] for number in both)
    share = sum(bandwidths[number] for number in both) / total if total > 0 else 0.0
    return (share, len(both)) if total > 0 else (0.0, 0)


def _bandwidth_by_round(rounds: Sequence[StormRound], limit: int) -> dict[int, float]:
    return {
        result.run.round: result.writer_bytes_per_s
        for result in rounds
        if result.run.setting.limit == limit
        and not result.failed
        and result.writer_bytes_per_s is not None
    }
