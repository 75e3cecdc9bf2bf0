"""The table of the diagnosis lab and what follows it."""

from msgspec.structs import replace

from harness.labs.diagnose.result import DiagnoseLabResult, EntryResult
from harness.labs.diagnose.scoring import calibration, scored
from harness.labs.diagnose.text import lines
from tests.harness.labs.diagnose.lab_runs import HOG, finding, run


def result(*rows: EntryResult) -> DiagnoseLabResult:
    return DiagnoseLabResult(
        settings=None,
        duration_s=2.0,
        runs=1,
        entries=rows,
        calibration=calibration(rows),
        calibration_of_all=calibration(rows, disturbed=True),
    )


def test_a_row_shows_expected_and_found_cause_and_both_gains() -> None:
    own = run("program", finding("user-lock"), rate=10.0)
    row = scored(HOG, [own, run("look-alike"), run("cured", rate=30.0)])
    text = "\n".join(lines(result(row), 100))
    assert "3.0 of 4.0" in text
    assert "live: 1 of 1 runs right" in text
    assert "look-alikes blamed: 0 of 1 runs" in text
    assert "at least half of it for 1 (100.0 %)" in text
    assert "Brier score 0.010 of 1 findings (1 true)" in text


def test_disturbed_runs_are_shown_with_their_answers() -> None:
    wrong = replace(run("program", finding("sleep", true=False)), disturbed=True)
    right = replace(run("program", finding("user-lock")), disturbed=True)
    text = "\n".join(lines(result(scored(HOG, [wrong, right])), 100))
    assert "2 disturbed (1 of them right)" in text
    assert "not counted above: 2 runs, 1 of them right" in text
    assert "with disturbed runs: Brier score 0.410 of 2 findings (1 true)" in text


def test_a_failure_and_a_blamed_look_alike_are_shown_with_their_reason() -> None:
    rows = [run("program", why="no FUSE"), run("look-alike", finding("user-lock", true=False))]
    text = "\n".join(lines(result(scored(HOG, rows)), 100))
    assert "no diagnosis" in text
    assert "look-alike blamed in 1 of 1" in text
    assert "hog: no FUSE" in text
