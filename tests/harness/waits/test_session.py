import json
from pathlib import Path

import pytest

from harness.waits.session import result_with_page, show
from stallscope.recordings import open_recording

CAPTURE = Path("tests/captures/switches.perf")


def test_a_recording_is_shown_as_text_and_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    result = result_with_page(open_recording(CAPTURE), output=page)
    assert page.exists()
    show(result, as_json=False)
    text = capsys.readouterr().out
    assert "Waits of switches.perf" in text
    assert f"page          {page}" in text


def test_a_recording_is_shown_as_json_without_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    show(result_with_page(open_recording(CAPTURE), with_page=False), as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "stallscope.waits/1"
    assert document["report"] is None
