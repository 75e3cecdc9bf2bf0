"""The recording of benchmark runs: replaced only if it is one, and read back."""

from pathlib import Path

import pytest

from harness.bench.run.measurement import Measured
from harness.bench.run.recording import (
    make_directory,
    read_result,
    write_manifest,
    write_page,
    write_results,
)
from stallscope.errors import RecordingError, UsageError
from tests.harness.bench.run.test_result import bench_result


def test_a_recording_is_read_back_and_can_be_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    make_directory(folder, force=False)
    write_results(folder, bench_result(), Measured())
    write_manifest(folder, 1, ("true",), bench_result())
    assert read_result(folder) == bench_result()
    assert "noisy" in write_page(folder, bench_result(), None).read_text()
    make_directory(folder, force=True)
    assert not (folder / "bench.txt").exists()


def test_another_directory_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        make_directory(tmp_path, force=True)


def test_a_damaged_result_is_named(tmp_path: Path) -> None:
    (tmp_path / "bench.json").write_text("{")
    with pytest.raises(RecordingError, match="is not JSON"):
        read_result(tmp_path)
