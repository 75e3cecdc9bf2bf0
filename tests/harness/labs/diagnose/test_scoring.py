"""Scores: right runs, blamed look-alikes, calibration and gains."""

from dataclasses import replace

import pytest
from msgspec.structs import replace as replace_run

from harness.labs.diagnose.entries import CONTROL, Entry
from harness.labs.diagnose.scoring import brier_score, calibration, gain_check, scored
from tests.harness.labs.diagnose.lab_runs import HOG, finding, run

LOCK = finding("user-lock")
QUEUE = finding("sleep-states", true=False)


def test_the_first_cause_decides_and_a_run_without_a_diagnosis_is_wrong() -> None:
    second = finding("slow-disk", true=False)
    rows = [run("program", LOCK, second), run("program", second, LOCK), run("program", why="died")]
    result = scored(HOG, rows)
    assert (result.right, result.planned) == (1, 3)
    assert not result.is_right


def test_a_cause_of_the_machine_is_not_judged() -> None:
    queue = finding("run-queue", true=False).__class__(
        cause="run-queue",
        cost_share=0.9,
        confidence=0.9,
        largest_gain=None,
        true=False,
        of_machine=True,
    )
    result = scored(HOG, [run("program", queue, LOCK), run("look-alike", queue)])
    assert (result.right, result.blamed) == (1, 0)
    score = calibration([result])
    assert score is not None
    assert score.findings == 1


def test_a_disturbed_run_counts_apart_and_its_answer_is_kept() -> None:
    disturbed = [replace_run(run("program", row), disturbed=True) for row in (LOCK, QUEUE, QUEUE)]
    result = scored(HOG, [run("program", LOCK), *disturbed])
    assert (result.right, result.planned) == (1, 1)
    assert (result.disturbed, result.disturbed_right) == (3, 1)
    assert result.is_right
    assert scored(HOG, disturbed).is_unknown
    assert not scored(HOG, disturbed).is_right
    both = [calibration([result], disturbed=value) for value in (False, True)]
    assert [score.findings for score in both if score is not None] == [1, 4]


def test_other_load_does_not_excuse_look_alikes_and_controls() -> None:
    blamed = replace_run(run("look-alike", LOCK), disturbed=True)
    assert scored(HOG, [run("program", LOCK), blamed]).blamed == 1
    healthy = Entry(name="computes", cause="", kind=CONTROL)
    assert not scored(healthy, [replace_run(run("program", LOCK), disturbed=True)]).is_right


def test_a_look_alike_is_blamed_if_it_has_the_cause_in_any_place() -> None:
    other = finding("sleep")
    assert scored(HOG, [run("program", LOCK), run("look-alike", other, LOCK)]).blamed == 1
    allowed = replace(HOG, look_alike_causes=("user-lock",))
    assert scored(allowed, [run("program", LOCK), run("look-alike", LOCK)]).blamed == 0


def test_a_control_is_right_if_nothing_stands_out() -> None:
    healthy = Entry(name="computes", cause="", kind=CONTROL)
    assert scored(healthy, [run("program")]).is_right
    assert not scored(healthy, [run("program", finding("sleep", true=False))]).is_right


def test_the_brier_score_is_compared_with_that_of_the_best_constant() -> None:
    assert brier_score([(1.0, True), (0.0, False)]) == 0.0
    assert brier_score([(0.8, True), (0.6, False)]) == pytest.approx((0.04 + 0.36) / 2)
    rows = [finding("user-lock", confidence=0.9), finding("sleep", true=False, confidence=0.5)]
    score = calibration([scored(HOG, [run("program", *rows)])])
    assert score is not None
    assert (score.findings, score.true) == (2, 1)
    assert score.brier == pytest.approx((0.01 + 0.25) / 2)
    assert score.constant_brier == pytest.approx(0.25)
    assert calibration([]) is None


def test_a_gain_is_bounded_by_the_prediction_within_the_noise_of_rates() -> None:
    def check(cured: float, gain: float | None = 4.0) -> tuple[bool | None, bool | None]:
        own = run("program", finding("user-lock", gain=gain), rate=10.0)
        result = gain_check(HOG, [own, run("cured", rate=cured)])
        assert result is not None
        return result.is_bound, result.is_half

    assert check(30.0) == (True, True)
    assert check(19.0) == (True, False)
    assert check(41.0) == (True, True)
    assert check(43.0) == (False, True)
    assert check(30.0, None) == (True, False)


def test_a_gain_is_not_checked_without_the_cause_or_without_rates() -> None:
    assert gain_check(HOG, [run("program", finding("sleep"), rate=1.0)]) is None
    result = gain_check(HOG, [run("program", LOCK)])
    assert result is not None
    assert result.real is None
    assert result.is_bound is None
