"""Rows of the waits lab, without a live program."""

import subprocess

import pytest

from harness.labs.waits import measurement
from harness.labs.waits.measurement import compared, measure_program
from harness.labs.waits.result import ProgramVerdict
from tests.harness.labs.waits.diagnoses import HOG, account, diagnosis, thread


def test_a_row_has_the_first_causes_and_the_largest_difference() -> None:
    result = diagnosis(
        thread(2, "victim", user=9, lock=91), causes=(("thread", "hog"), ("sleep", "timer"))
    )
    row = compared(HOG, result, account(running=10, lock=90), look_alike=False)
    assert row.is_right
    assert row.expected_cause == "thread hog"
    assert [cause.name for cause in row.causes] == ["hog", "timer"]
    assert row.largest_difference == pytest.approx(0.01)


def test_a_diagnosis_that_fails_is_a_row_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(words: list[str], **_: object) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.CompletedProcess(words, 3, b"", b"stallscope: error: no rights\n")

    monkeypatch.setattr(measurement.subprocess, "run", fail)
    row = measure_program(HOG, 1.0, look_alike=False)
    assert row.cause_verdict is ProgramVerdict.FAILED
    assert "no rights" in row.why
