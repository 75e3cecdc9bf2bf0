"""Where the page of a recording is written."""

from pathlib import Path

import pytest

from harness.profile.analysis import analyze
from harness.profile.page_files import page_parts, write_page
from stallscope.recordings import open_recording

CAPTURE = Path(__file__).parents[2] / "captures" / "pipe.perf"


def test_the_page_of_a_perf_file_is_written_to_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = open_recording(CAPTURE)
    analysis = analyze(recording)
    monkeypatch.chdir(tmp_path)
    page = write_page(recording, analysis)
    assert page == Path("pipe.perf.report.html")
    assert page.read_text() == "".join(page_parts(recording, analysis))
    assert "Slots were not counted" in page.read_text()
    assert write_page(recording, analysis, tmp_path / "named.html").name == "named.html"
