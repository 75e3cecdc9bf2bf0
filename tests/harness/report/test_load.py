"""`stallscope report` of a recorded load."""

import json
import shutil
from pathlib import Path

import pytest

from harness.report.load import report_load
from stallscope.errors import UnableError
from stallscope.recordings import open_recording
from tests.documents import assert_valid

RECORDED = Path(__file__).parents[2] / "recordings" / "load"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RECORDED, tmp_path / "load"))


def test_the_result_is_printed_and_its_page_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = folder.with_name("page.html")
    report_load(open_recording(folder), output=page, with_page=True, as_json=False)
    assert f"page       {page}" in capsys.readouterr().out
    assert 'id="latency"' in page.read_text()


def test_the_document_names_the_recording_and_no_page(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report_load(open_recording(folder), output=None, with_page=False, as_json=True)
    printed = capsys.readouterr().out
    assert_valid("load", printed)
    document = json.loads(printed)
    assert (document["recording"], document["report"]) == (str(folder), None)
    assert not (folder / "report.html").exists()


def test_a_load_that_ended_early_has_no_result(folder: Path) -> None:
    (folder / "load.json").unlink()
    with pytest.raises(UnableError, match="ended before it had a result"):
        report_load(open_recording(folder), output=None, with_page=True, as_json=False)
