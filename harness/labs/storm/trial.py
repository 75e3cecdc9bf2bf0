"""The recommended limit: the smallest that keeps the writer's bandwidth.

A trial measures the limits with the reader running. The writer's own response curve would
underestimate the limit: a reader that always has a request on the disk takes one place from the
writer, and the knee of the curve already loses 5 % by definition.

A limit is recommended if the whole interval of its bandwidth is above the bound. The measured value
alone is above it by chance in every second trial of a limit that keeps just the bound.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harness.labs.storm.options import REFERENCE_LIMIT, StormOptions
from harness.labs.storm.plan import runs
from ioprobe.storm import StormRound, StormRun
from stallscope.documents import Amount, Count, Record
from stallscope.statistics.bootstrap import percentile_interval
from stallscope.statistics.isotonic import isotonic_regression

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

KEPT_SHARE = 0.95  # of the writer's bandwidth at 128; the verdict calls a lower share a price


MIN_ROUNDS = 5  # with fewer there is no interval, unless the disk is simulated
_REPLICATES = 1000


class TrialLimit(Record, frozen=True):
    """A limit of the trial, and the writer's bandwidth as a share of that at 128.

    ``low`` and ``high`` are the 95 % interval of the share after monotone regression, None with too
    few rounds.
    """

    limit: Count
    bandwidth_share: Amount
    rounds: Count  # that measured both limits
    low: Amount | None = None
    high: Amount | None = None

    @property
    def keeps_bandwidth(self) -> bool:
        """Return whether the whole interval is above the bound."""
        return self.low is not None and self.low >= KEPT_SHARE

    @property
    def is_undecided(self) -> bool:
        """Return whether the interval contains the bound."""
        if self.low is None or self.high is None:
            return True
        return self.low < KEPT_SHARE <= self.high


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


def trial_runs(
    options: StormOptions, limits: Iterable[int] | None = None, *, first_round: int = 0
) -> tuple[StormRun, ...]:
    """Return the runs of the trial, which does not measure the reader alone.

    ``limits`` are those to measure beside 128, by default all; rounds are numbered from
    ``first_round``.
    """
    trial = trial_options(options)
    if limits is not None:
        trial = replace(trial, limits=tuple(limits))
    return tuple(
        replace(run, id=f"{first_round}.{run.id}", round=first_round + run.round)
        for run in runs(trial, REFERENCE_LIMIT)
        if run.setting.writes
    )


def undecided_limits(tried: Sequence[TrialLimit]) -> tuple[int, ...]:
    """Return the limits that more rounds could select: undecided, and below the selected one."""
    selected = min((trial.limit for trial in tried if trial.keeps_bandwidth), default=2**31)
    return tuple(trial.limit for trial in tried if trial.is_undecided and trial.limit < selected)


def recommend_limit(options: StormOptions, rounds: Sequence[StormRound]) -> Recommendation | None:
    """Return the smallest limit that keeps the writer's bandwidth; 128 if no limit does.

    None if no round measured both 128 and another limit.
    """
    tried = tried_limits(options, rounds)
    if not tried:
        return None
    names = ", ".join(str(trial.limit) for trial in tried)
    n = min(trial.rounds for trial in tried)
    limit = min((trial.limit for trial in tried if trial.keeps_bandwidth), default=REFERENCE_LIMIT)
    how = _reason(tried, limit)
    return Recommendation(limit, f"{how}; tried {names} in at least {n} short rounds", tried)


def tried_limits(options: StormOptions, rounds: Sequence[StormRound]) -> tuple[TrialLimit, ...]:
    """Return the limits of the trial with their shares and intervals, in ascending order.

    Bandwidth does not fall as the limit rises, so falling readings are averaged (isotonic
    regression). The interval is of a bootstrap over rounds, regression included.
    """
    import numpy as np  # noqa: PLC0415 - start-up stays light

    limits = sorted(set(options.trial.limits) - {REFERENCE_LIMIT})
    numbers = sorted({result.run.round for result in rounds})
    of_limit = _bandwidths(rounds, limits, numbers)
    of_reference = _bandwidths(rounds, [REFERENCE_LIMIT], numbers)
    of_reference = np.where(of_reference > 0, of_reference, np.nan)
    has_both = np.isfinite(of_limit) & np.isfinite(of_reference)
    measured = np.asarray(has_both.any(axis=0))
    limits = [
        limit for limit, has_interval in zip(limits, measured.tolist(), strict=True) if has_interval
    ]
    if not limits:
        return ()
    has_both = has_both[:, measured]
    over = np.where(has_both, of_limit[:, measured], 0.0)
    under = np.where(has_both, of_reference, 0.0)
    shares = over.sum(axis=0) / under.sum(axis=0)
    fitted = _fitted(shares)
    replicates = _replicates(over, under)
    is_exact = all(result.source == "modelled" for result in rounds)
    tried = []
    for index, limit in enumerate(limits):
        n = int(has_both[:, index].sum())
        has_interval = n >= MIN_ROUNDS or is_exact
        low, high = percentile_interval(replicates[:, index], fitted[index])
        tried.append(
            TrialLimit(
                limit, float(shares[index]), n, *((low, high) if has_interval else (None, None))
            )
        )
    return tuple(tried)


def _bandwidths(rounds: Sequence[StormRound], limits: list[int], numbers: list[int]) -> "Floats":
    """Return (n_rounds, n_limits) bandwidths of accepted runs; NaN if there is none."""
    import numpy as np  # noqa: PLC0415

    table = np.full((len(numbers), len(limits)), np.nan)
    for result in rounds:
        limit, written = result.run.setting.limit, result.writer_bytes_per_s
        if limit in limits and not result.failed and written is not None:
            table[numbers.index(result.run.round), limits.index(limit)] = written
    return table


def _replicates(over: "Floats", under: "Floats") -> "Floats":
    """Return (n_replicates, n_limits) fitted shares of resampled rounds."""
    import numpy as np  # noqa: PLC0415

    draw = np.random.default_rng(1)
    fitted = np.empty((_REPLICATES, over.shape[1]))
    for replicate in range(_REPLICATES):
        drawn = draw.integers(len(over), size=len(over))
        total, reference = over[drawn].sum(axis=0), under[drawn].sum(axis=0)
        # A limit without a round in this replicate keeps its measured share.
        has_reference = reference > 0
        shares = np.where(has_reference, total, over.sum(axis=0)) / np.where(
            has_reference, reference, under.sum(axis=0)
        )
        fitted[replicate] = _fitted(shares)
    return fitted


def _fitted(shares: "Floats") -> list[float]:
    """Return shares that never fall as the limit rises, up to the 1 of the reference."""
    return isotonic_regression([*shares.tolist(), 1.0])[:-1]


def _reason(tried: Sequence[TrialLimit], limit: int) -> str:
    bound_text = f"{KEPT_SHARE:.0%} of the writer's bandwidth"
    undecided = undecided_limits(tried)
    names = ", ".join(map(str, undecided))
    rest = f"; the rounds do not decide on {names}" if undecided else ""
    if limit == REFERENCE_LIMIT:
        return f"no smaller limit is sure to keep {bound_text}{rest}"
    (selected,) = (trial for trial in tried if trial.limit == limit)
    return (
        f"the smallest whose interval keeps {bound_text} at {REFERENCE_LIMIT} "
        f"({selected.low:.3f} to {selected.high:.3f}){rest}"
    )
