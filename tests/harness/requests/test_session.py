import json
from pathlib import Path

import pytest

from harness.requests.session import result_with_page, show
from stallscope.documents import encode
from stallscope.errors import RecordingError
from stallscope.recordings import open_recording
from tests.documents import assert_valid
from tests.harness.requests.request_results import result_of

CAPTURE = Path("tests/captures/switches.perf")


def test_a_recording_without_marks_names_the_remedy() -> None:
    with pytest.raises(RecordingError, match="no marks of requests") as error:
        result_with_page(open_recording(CAPTURE), with_page=False)
    assert "stallscope_request.h" in error.value.remedy


def test_the_result_is_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    show(result_of("disk"), as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert_valid("requests", encode(result_of("disk")))
    assert document["schema"] == "stallscope.requests/1"
    assert document["states"][0]["state"] == "disk_write"


def test_the_result_is_printed_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    show(result_of("disk"), as_json=False)
    text = capsys.readouterr().out
    assert "Requests of pid 1000" in text
    assert "recording     run" in text
