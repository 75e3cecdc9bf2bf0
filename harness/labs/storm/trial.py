"""Which limit `stallscope lab storm` recommends: the least that leaves the writer its bandwidth.

It is tried with the reader beside, and not read off the writer's own response curve: a reader that
always has a request below takes one of the places from the writer, and the knee is by definition
where 5 % are lost already.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from harness.labs.storm.plan import AGAINST, StormOptions, runs
from ioprobe.storm import Run, StormRound
from stallscope.statistics.isotonic import isotonic_regression

KEPT_SHARE = 0.95  # of the writer's bandwidth at 128: the verdict calls less a price


@dataclass(frozen=True, slots=True)
class Tried:
    """A limit, and the writer's bandwidth over that at 128, both means of the same rounds."""

    limit: int
    bandwidth_share: float
    rounds: int


@dataclass(frozen=True, slots=True)
class Recommended:
    """The limit that is recommended, where it is from, and what was tried for it."""

    limit: int
    how: str
    tried: tuple[Tried, ...] = ()


def trial_of(options: StormOptions) -> StormOptions:
    """Return the rounds of the trial as a small storm."""
    plan = options.trial
    return replace(
        options,
        rounds=plan.rounds,
        duration_s=plan.duration_s,
        warmup_s=plan.warmup_s,
        rest_s=0.0,
        limits=plan.limits,
        recommended=AGAINST,
        first_come=False,
        no_limit=False,
    )


def trial_runs(options: StormOptions) -> tuple[Run, ...]:
    """Return the runs of the trial; the reader alone is not among them."""
    return tuple(run for run in runs(trial_of(options), AGAINST) if run.setting.writes)


def recommended(options: StormOptions, rounds: Sequence[StormRound]) -> Recommended | None:
    """Return the least limit that keeps the writer's bandwidth; 128 where none does.

    Bandwidth does not fall as the limit rises: where readings do, they are taken for equal. None
    where no two limits were measured in the same round.
    """
    full = _bandwidths(rounds, AGAINST)
    limits = sorted(set(options.trial.limits) - {AGAINST})
    found = [(limit, _shares(_bandwidths(rounds, limit), full)) for limit in limits]
    tried = [Tried(limit, mean, n) for limit, (mean, n) in found if n]
    if not tried:
        return None
    rising = isotonic_regression([*(one.bandwidth_share for one in tried), 1.0])
    kept = [one.limit for one, share in zip(tried, rising, strict=False) if share >= KEPT_SHARE]
    how = f"the least that keeps {KEPT_SHARE:.0%} of the writer's bandwidth at {AGAINST}"
    if not kept:
        how = f"no lesser one keeps {KEPT_SHARE:.0%} of the writer's bandwidth"
    names = ", ".join(str(one.limit) for one in tried)
    n = min(one.rounds for one in tried)
    least = min(kept, default=AGAINST)
    return Recommended(least, f"{how}, of {names} in {n} short rounds", tuple(tried))


def _shares(found: dict[int, float], full: dict[int, float]) -> tuple[float, int]:
    """Return the mean over that of ``full`` in the rounds that both have, and how many they are."""
    both = found.keys() & full.keys()
    under = sum(full[at] for at in both)
    return (sum(found[at] for at in both) / under, len(both)) if under > 0 else (0.0, 0)


def _bandwidths(rounds: Sequence[StormRound], limit: int) -> dict[int, float]:
    return {
        one.run.round: one.writer_bytes_per_s
        for one in rounds
        if one.run.setting.limit == limit and not one.failed and one.writer_bytes_per_s is not None
    }
