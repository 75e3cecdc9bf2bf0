"""Weights of the confidence, and their check on programs that were left out."""

import random

import pytest
from msgspec import structs

from harness.diagnose.confidence import confidence
from harness.labs.diagnose.confidence_fit import (
    JudgedFinding,
    checked_fit,
    fitted_weights,
    judged_findings,
)
from harness.labs.diagnose.result import DiagnoseLabResult
from harness.labs.diagnose.scoring import scored
from tests.harness.labs.diagnose.lab_runs import HOG, finding, run


def findings(number: int = 400) -> list[JudgedFinding]:
    """Return findings of 20 programs that are true more often if they cost more."""
    choice = random.Random(7)
    costs = [choice.uniform(0.1, 0.9) for _ in range(number)]
    return [
        JudgedFinding(f"program-{n % 20}", 0.8, cost, choice.random() < min(0.98, 2 * cost))
        for n, cost in enumerate(costs)
    ]


def test_the_weights_follow_the_share_of_true_findings() -> None:
    weights = fitted_weights(findings())
    assert confidence(0.8, 0.15, weights) == pytest.approx(0.3, abs=0.15)
    assert confidence(0.8, 0.8, weights) > 0.9


def test_programs_that_were_left_out_are_predicted_better_than_by_a_constant() -> None:
    check = checked_fit(findings())
    assert check.findings == 400
    assert check.brier < check.constant
    assert check.brier < check.uncalibrated


def test_a_program_does_not_confirm_itself() -> None:
    rows = [JudgedFinding("true", 0.9, 0.5, True)] * 10 + [JudgedFinding("not", 0.9, 0.5, False)]
    check = checked_fit(rows)
    assert check.constant == pytest.approx((10 * 1.0 + 1.0) / 11)
    assert check.true == 10


def test_findings_of_the_machine_are_not_judged() -> None:
    row = structs.replace(finding("user-lock"), rating=0.9)
    machine = structs.replace(row, of_machine=True)
    entry = scored(HOG, [run("program", row, machine, finding("sleep"))])
    document = DiagnoseLabResult(
        settings=None, duration_s=2.0, runs=1, entries=(entry,), calibration=None
    )
    assert judged_findings([document]) == [JudgedFinding("hog", 0.9, 0.5, True)]
