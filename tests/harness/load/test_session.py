"""What a load prints."""

import json
from pathlib import Path

import pytest

from harness.load.recording import read_load
from harness.load.session import show_result
from tests.documents import assert_valid

RECORDED = Path(__file__).parents[2] / "recordings" / "load"


@pytest.mark.parametrize("page", [None, Path("page.html")])
def test_the_output_names_the_recording_and_its_page(
    capsys: pytest.CaptureFixture[str], page: Path | None
) -> None:
    recording = read_load(RECORDED)
    show_result(recording.result, recording.settings, Path("run\x1b"), page, as_json=False)
    text = capsys.readouterr().out
    assert "recording  run\\x1b" in text
    assert ("page       page.html" in text) == (page is not None)
    show_result(recording.result, recording.settings, Path("run"), page, as_json=True)
    printed = capsys.readouterr().out
    assert_valid("load", printed)
    assert json.loads(printed)["report"] == (None if page is None else "page.html")
