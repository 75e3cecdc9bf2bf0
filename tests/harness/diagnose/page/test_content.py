from pathlib import Path

from harness.diagnose.session import page_content
from stallscope.recordings import open_recording

CAPTURE = Path("tests/captures/switches.perf")


def test_the_content_of_a_capture_is_that_of_its_parts(tmp_path: Path) -> None:
    content = page_content(open_recording(CAPTURE), tmp_path / "page.html", baseline=CAPTURE)
    assert content.result.report == str(tmp_path / "page.html")
    assert content.comparison is not None
    assert len(content.flames) == 3
    assert content.readings == ()
    begin_ns, end_ns = content.extent_ns
    assert end_ns > begin_ns
