"""Which limit `stallscope lab storm` recommends: the least that leaves the writer its bandwidth.

It is tried with the reader beside, and not read off the writer's own response curve: a reader that
always has a request below takes one of the places from the writer, and the knee is by definition
where 5 % are lost already.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from harness.labs.stages_statistics import Spread, ratios, spread
from harness.labs.storm_plan import AGAINST, StormOptions, runs
from ioprobe.storm import Run, StormRound

KEPT_SHARE = 0.97  # of the writer's bandwidth at 128: the verdict calls 0.95 a price


@dataclass(frozen=True, slots=True)
class Tried:
    """A limit, and the writer's bandwidth over that at 128, round by round."""

    limit: int
    bandwidth: Spread


@dataclass(frozen=True, slots=True)
class Recommended:
    """The limit that is recommended, where it is from, and what was tried for it, deepest first."""

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
        limits=plan.limits,
        recommended=AGAINST,
        first_come=False,
        no_limit=False,
    )


def trial_runs(options: StormOptions) -> tuple[Run, ...]:
    """Return the runs of the trial; the reader alone is not among them."""
    return tuple(run for run in runs(trial_of(options), AGAINST) if run.setting.writes)


def recommended(options: StormOptions, rounds: Sequence[StormRound]) -> Recommended | None:
    """Return the least limit that keeps the writer's bandwidth, as do all that were tried above it.

    None where no two limits were measured in the same round.
    """
    limits = sorted(options.trial.limits, reverse=True)
    full = _bandwidths(rounds, AGAINST)
    tried = []
    for limit in limits:
        found = _bandwidths(rounds, limit)
        both = sorted(full.keys() & found.keys())
        ratio = spread(ratios([found[at] for at in both], [full[at] for at in both]))
        if ratio is not None and limit != AGAINST:
            tried.append(Tried(limit, ratio))
    if not tried:
        return None
    least = AGAINST
    for one in tried:
        if one.bandwidth.median < KEPT_SHARE:
            break
        least = one.limit
    names = ", ".join(str(one.limit) for one in reversed(tried))
    n = min(one.bandwidth.n for one in tried)
    how = f"the least that keeps {KEPT_SHARE:.0%} of the writer's bandwidth at {AGAINST}"
    if least == AGAINST:
        how = f"no lesser one keeps {KEPT_SHARE:.0%} of the writer's bandwidth"
    return Recommended(least, f"{how}, of {names} in {n} rounds", tuple(tried))


def _bandwidths(rounds: Sequence[StormRound], limit: int) -> dict[int, float | None]:
    return {
        one.run.round: one.writer_bytes_per_s
        for one in rounds
        if one.run.setting.limit == limit and not one.failed
    }
