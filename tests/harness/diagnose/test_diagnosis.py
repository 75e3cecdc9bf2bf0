"""Tests of `harness/diagnose/diagnosis.py`: the diagnosis of a recording without its page."""

from pathlib import Path

import pytest

from harness.diagnose.diagnosis import diagnosed_parts, diagnosis_of, overhead_share
from harness.diagnose.pass_recorder import PassCost
from stallscope.recordings import open_recording
from tests.harness.diagnose.diagnoses import BUSY, waits

CAPTURE = Path("tests/captures/switches.perf")


def test_a_diagnosis_names_the_page_only_if_there_will_be_one(tmp_path: Path) -> None:
    recording = open_recording(CAPTURE)
    plain = diagnosis_of(recording)
    parts, result = diagnosed_parts(recording, tmp_path / "page.html", None)
    assert plain.report is None
    assert result.report == str(tmp_path / "page.html")
    assert result.findings == plain.findings
    assert parts.reading.waits.records is parts.analysis.records


def test_the_overhead_is_that_of_the_recorder_alone() -> None:
    result = waits(BUSY)
    target_s = sum(thread.run_ns or 0 for thread in result.threads) / 1e9
    assert target_s
    assert overhead_share(result, PassCost(0.1 * target_s, with_command=False)) == pytest.approx(
        0.1
    )
    assert overhead_share(result, PassCost(1.1 * target_s, with_command=True)) == pytest.approx(0.1)
