from pathlib import Path

from harness.requests.page import write_requests_page
from stallscope.recordings import Recording
from tests.harness.requests.request_results import analysis_of, result_of
from tests.topdown.requests.request_recording import recording


def test_the_page_has_the_requests_and_the_waits(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    analysis = analysis_of(recording("disk"), title="<img src=x>")
    run = Recording(tmp_path, tmp_path / "samples.perf", None)
    write_requests_page(result_of("disk", title="<img src=x>"), analysis, run, page)
    text = page.read_text()
    assert 'id="requests"' in text
    assert 'id="waits"' in text
    assert "<img src=x>" not in text
