"""`stallscope report` of recorded idle intervals."""

import json
import shutil
from pathlib import Path

import pytest

from harness.cstates.record.report import report_idle
from stallscope.recordings import open_recording
from tests.documents import assert_valid

RECORDED = Path(__file__).parents[3] / "recordings" / "idle"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RECORDED, tmp_path / "idle"))


def test_the_page_is_written_and_the_summary_names_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report_idle(open_recording(folder), output=None, with_page=True, as_json=False)
    assert f"page       {folder / 'report.html'}" in capsys.readouterr().out
    assert "<svg" in (folder / "report.html").read_text()


def test_without_a_page_nothing_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report_idle(open_recording(folder), output=None, with_page=False, as_json=True)
    printed = capsys.readouterr().out
    assert_valid("cstates.record", printed)
    assert json.loads(printed)["report"] is None
    assert not (folder / "report.html").exists()
