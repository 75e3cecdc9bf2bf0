"""`stallscope report` of benchmark runs prints the result that the recording keeps."""

from pathlib import Path

import pytest

from harness.bench.run.measurement import Measured
from harness.bench.run.recording import make_directory, write_manifest, write_results
from harness.report.bench import report_bench
from stallscope.recordings import open_recording
from tests.harness.bench.run.test_result import bench_result


def test_the_result_of_the_recording_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    make_directory(folder, force=False)
    write_results(folder, bench_result(), Measured())
    write_manifest(folder, 1, ("true",), bench_result())
    report_bench(open_recording(folder), output=None, with_page=False, as_json=False)
    assert "warning: noisy" in capsys.readouterr().out
    assert not (folder / "report.html").exists()
