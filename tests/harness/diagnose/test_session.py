import json
from pathlib import Path

import pytest

from harness.diagnose.options import DiagnoseOptions
from harness.diagnose.session import run_diagnose
from stallscope.documents import encode
from tests.documents import assert_valid
from tests.harness.diagnose.diagnoses import LOCKED, diagnosis

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
