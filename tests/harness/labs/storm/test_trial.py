"""The trial that selects the recommended limit."""

from dataclasses import replace
from typing import Any

import pytest

from harness.labs.storm.options import REFERENCE_LIMIT
from harness.labs.storm.trial import (
    KEPT_SHARE,
    recommend_limit,
    trial_options,
    trial_runs,
    tried_limits,
    undecided_limits,
)
from ioprobe.storm import StormRound
from tests.harness.labs.storm.storms import OPTIONS

ROUND = StormRound(
    run=trial_runs(OPTIONS)[0], source="measured", real_time=True, seconds=1.0, reads=1,
    reader=None, reader_delay=None, writer_bytes_per_s=None, pending=None, in_flight=None,
    iowait_share=None, cpu_delay_share=None, errors={}, failed=(), interrupted=False,
)  # fmt: skip


def trial_rounds(limit: int | None, bandwidths: list[float], **values: Any) -> list[StormRound]:
    """Rounds of a trial with these bandwidths at a limit."""
    runs = [run for run in trial_runs(OPTIONS) if run.setting.limit == limit]
    return [
        replace(ROUND, run=run, writer_bytes_per_s=bandwidth, **values)
        for run, bandwidth in zip(runs, bandwidths, strict=True)
    ]


REFERENCE = trial_rounds(REFERENCE_LIMIT, [100.0, 80.0, 120.0, 90.0, 110.0])


def test_a_limit_below_a_costly_limit_is_not_recommended() -> None:
    """Even if its own readings are high: they are high by chance."""
    rounds = [
        *REFERENCE,
        *trial_rounds(32, [99.0, 80.0, 118.0, 90.0, 109.0]),
        *trial_rounds(16, [60.0, 50.0, 60.0, 65.0, 69.0]),
        *trial_rounds(8, [100.0, 80.0, 120.0, 90.0, 110.0]),
    ]
    recommendation = recommend_limit(OPTIONS, rounds)
    assert recommendation is not None
    assert recommendation.limit == 32
    assert [trial.limit for trial in recommendation.tried] == [8, 16, 32]
    assert "tried 8, 16, 32 in at least 5 short rounds" in recommendation.how


def test_readings_that_fall_by_chance_are_averaged() -> None:
    rounds = [
        *REFERENCE,
        *trial_rounds(16, [96.0, 77.0, 115.0, 87.0, 106.0]),
        *trial_rounds(32, [94.9, 76.0, 114.0, 85.0, 104.0]),
        *trial_rounds(8, [50.0, 40.0, 60.0, 45.0, 55.0]),
    ]
    recommendation = recommend_limit(OPTIONS, rounds)
    assert recommendation is not None
    shares = [trial.bandwidth_share for trial in recommendation.tried]
    assert shares == pytest.approx([0.5, 0.962, 0.9478])
    assert recommendation.limit == 16


def test_128_is_recommended_if_every_smaller_limit_costs_bandwidth() -> None:
    rounds = [*REFERENCE, *trial_rounds(32, [50.0, 40.0, 60.0, 45.0, 55.0])]
    recommendation = recommend_limit(OPTIONS, rounds)
    assert recommendation is not None
    assert recommendation.limit == REFERENCE_LIMIT
    assert "no smaller limit" in recommendation.how


def test_a_trial_whose_runs_all_failed_has_no_recommendation() -> None:
    assert recommend_limit(OPTIONS, []) is None
    failed = trial_rounds(32, [1.0] * 5, failed=("late",))
    assert recommend_limit(OPTIONS, [*REFERENCE, *failed]) is None


def test_a_trial_measures_limits_only() -> None:
    limits = {run.setting.limit for run in trial_runs(OPTIONS)}
    assert limits == {*OPTIONS.trial.limits, REFERENCE_LIMIT}
    assert len(trial_runs(OPTIONS)) == len(limits) * trial_options(OPTIONS).rounds


def test_a_limit_whose_interval_contains_the_bound_is_not_recommended() -> None:
    """Its share of 0.952 is above the bound by chance; that of the next limit is certain."""
    uncertain = [share * reference for share, reference in
                 zip((1.04, 0.86, 1.02, 0.88, 0.95), (100, 80, 120, 90, 110), strict=True)]  # fmt: skip
    rounds = [
        *REFERENCE,
        *trial_rounds(32, [99.0, 80.0, 118.0, 90.0, 109.0]),
        *trial_rounds(16, uncertain),
        *trial_rounds(8, [50.0, 40.0, 60.0, 45.0, 55.0]),
    ]
    tried = tried_limits(OPTIONS, rounds)
    assert tried[1].bandwidth_share > KEPT_SHARE
    assert (tried[1].low or 1) < KEPT_SHARE < (tried[1].high or 0)
    assert undecided_limits(tried) == (16,)
    recommendation = recommend_limit(OPTIONS, rounds)
    assert recommendation is not None
    assert recommendation.limit == 32
    assert "the rounds do not decide on 16" in recommendation.how


def test_more_rounds_decide_on_an_undecided_limit() -> None:
    runs = trial_runs(OPTIONS, (16,), first_round=5)
    assert {run.setting.limit for run in runs} == {16, REFERENCE_LIMIT}
    assert {run.round for run in runs} == {5, 6, 7, 8, 9}
    assert not {run.id for run in runs} & {run.id for run in trial_runs(OPTIONS)}


def test_too_few_rounds_decide_on_nothing() -> None:
    rounds = [*REFERENCE, *trial_rounds(32, [99.0, 80.0, 118.0, 90.0, 109.0])[:4]]
    (tried,) = tried_limits(OPTIONS, rounds)
    assert (tried.low, tried.high, tried.rounds) == (None, None, 4)
    recommendation = recommend_limit(OPTIONS, rounds)
    assert recommendation is not None
    assert recommendation.limit == REFERENCE_LIMIT
