import json
from pathlib import Path

import pytest

from harness.waits.compare.session import run_comparison

CAPTURE = Path("tests/captures/switches.perf")


def test_a_recording_is_equal_to_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_comparison((CAPTURE, CAPTURE), as_json=False) == 0
    assert "No state grew" in capsys.readouterr().out
    assert run_comparison((CAPTURE, CAPTURE), as_json=True) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "stallscope.waits.compare/1"
    assert document["grew"] is None
