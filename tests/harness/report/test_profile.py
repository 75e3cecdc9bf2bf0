"""`stallscope report` of a CPU profile."""

from pathlib import Path

import pytest

from harness.report.options import ReportOptions
from harness.report.profile import report_profile
from stallscope.recordings import open_recording
from tests.documents import assert_valid

CAPTURE = Path(__file__).parents[2] / "captures" / "pipe.perf"


def test_the_summary_names_the_page_if_there_is_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    report_profile(open_recording(CAPTURE), ReportOptions(output=page, top=1))
    assert str(page) in capsys.readouterr().out
    assert page.stat().st_size > 1000


def test_without_a_page_only_the_document_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    report_profile(open_recording(CAPTURE), ReportOptions(with_page=False, as_json=True))
    assert_valid("profile", capsys.readouterr().out)
    assert list(tmp_path.iterdir()) == []
