from pathlib import Path

import pytest

from harness.recordings.kinds import REQUESTS, kind_of
from harness.report.requests import report_requests
from stallscope.errors import RecordingError
from stallscope.recordings import Manifest, Recording, open_recording

CAPTURE = Path("tests/captures/switches.perf")


def test_a_recording_with_marks_is_one_of_requests(tmp_path: Path) -> None:
    recording = Recording(tmp_path, tmp_path / "samples.perf", Manifest(schema="x", complete=True))
    (tmp_path / "waits.jsonl").touch()
    (tmp_path / "requests.bin").touch()
    assert kind_of(recording) == REQUESTS


def test_a_recording_without_marks_is_refused() -> None:
    with pytest.raises(RecordingError, match="no marks"):
        report_requests(open_recording(CAPTURE), output=None, with_page=False, as_json=False)
