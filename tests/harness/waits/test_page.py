from pathlib import Path

from harness.waits.build import waits_result
from harness.waits.page import render_waits_page, write_waits_page
from stallscope.recordings import Recording
from tests.harness.waits.analyses import analysis

RECORDING = Recording(Path("run"), Path("run/samples.perf"), None)


def test_the_page_has_the_states_and_the_causes(tmp_path: Path) -> None:
    result = waits_result(
        analysis("A R0-10 W(B,lock)10-90 R90-91\nB@1 R0-91"), recording=Path("run"), report=None
    )
    page = write_waits_page(result, RECORDING, tmp_path / "report.html")
    text = page.read_text()
    assert text == render_waits_page(result, RECORDING)
    assert "Wall time by state" in text
    assert "wall time of threads by state" in text
