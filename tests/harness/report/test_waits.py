import json
from pathlib import Path

import pytest

from harness.recordings.kinds import WAITS, kind_of
from harness.report.waits import report_waits
from stallscope.recordings import Manifest, Recording, open_recording

CAPTURE = Path("tests/captures/switches.perf")


def test_waits_are_reported_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    report_waits(open_recording(CAPTURE), output=None, with_page=False, as_json=True)
    assert json.loads(capsys.readouterr().out)["schema"] == "stallscope.waits/1"


def test_a_recording_with_a_log_of_waits_is_of_that_kind(tmp_path: Path) -> None:
    (tmp_path / "recording.json").write_text('{"kind": "samples"}')
    recording = Recording(tmp_path, tmp_path / "samples.perf", Manifest(schema="x", complete=True))
    assert kind_of(recording) == "samples"
    (tmp_path / "waits.jsonl").touch()
    assert kind_of(recording) == WAITS
