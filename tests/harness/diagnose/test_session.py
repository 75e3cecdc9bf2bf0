import json
from pathlib import Path

import pytest

from harness.diagnose.options import DiagnoseOptions
from harness.diagnose.pass_recorder import PassCost
from harness.diagnose.session import overhead_share, run_diagnose
from stallscope.documents import encode
from tests.documents import assert_valid
from tests.harness.diagnose.diagnoses import BUSY, LOCKED, diagnosis, waits

CAPTURE = Path("tests/captures/switches.perf")


def test_a_recording_is_diagnosed_as_text_and_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    assert run_diagnose(DiagnoseOptions(None, CAPTURE, page, as_json=False)) == 0
    assert page.exists()
    assert f"page          {page}" in capsys.readouterr().out
    assert run_diagnose(DiagnoseOptions(None, CAPTURE, page, as_json=True)) == 0
    text = capsys.readouterr().out
    assert_valid("diagnose", text)
    document = json.loads(text)
    assert document["schema"] == "stallscope.diagnose/1"
    assert document["overhead_share"] is None


def test_a_finding_has_the_keys_that_scripts_rely_on() -> None:
    text = encode(diagnosis(LOCKED))
    assert_valid("diagnose", text)
    document = json.loads(text)
    keys = {"cause", "sentence", "cost_share", "confidence", "evidence", "where", "try"}
    assert keys <= set(document["findings"][0])


def test_the_overhead_is_that_of_the_recorder_alone() -> None:
    result = waits(BUSY)
    target_s = sum(thread.run_ns or 0 for thread in result.threads) / 1e9
    if not target_s:
        assert overhead_share(result, PassCost(1.0, with_command=False)) is None
        return
    assert overhead_share(result, PassCost(0.1 * target_s, with_command=False)) == pytest.approx(
        0.1
    )
    assert overhead_share(result, PassCost(1.1 * target_s, with_command=True)) == pytest.approx(0.1)
