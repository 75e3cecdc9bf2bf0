from pathlib import Path

from harness.waits.page_place import page_path
from stallscope.recordings import Recording


def test_the_page_of_a_file_of_perf_is_written_here() -> None:
    recording = Recording(Path("run"), Path("run/samples.perf"), None)
    assert page_path(recording) == Path("run.report.html")
