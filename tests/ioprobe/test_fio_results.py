"""Results of fio."""

import json
from pathlib import Path

import pytest

from ioprobe.fio_results import read_fio_results
from stallscope.errors import RecordingError


def test_directions_with_requests_are_read(tmp_path: Path) -> None:
    file = tmp_path / "fio.json"
    latency = {"mean": 5.0, "max": 9.0, "N": 2, "percentile": {"99.900000": 8.0}}
    job = {"jobname": "j", "write": {"total_ios": 2, "iops": 4.0, "clat_ns": latency}}
    file.write_text(json.dumps({"fio version": "fio-3.33", "jobs": [job]}))
    (row,) = read_fio_results(file)
    assert (row.job, row.direction, row.requests, row.rate_per_s) == ("j", "write", 2, 4.0)
    assert row.percentiles_ns == {99.9: 8.0}


def test_missing_numbers_are_not_zero(tmp_path: Path) -> None:
    file = tmp_path / "fio.json"
    file.write_text('{"fio version": "x", "jobs": [{"jobname": "j", "read": {"total_ios": 2}}]}')
    (row,) = read_fio_results(file)
    assert (row.rate_per_s, row.mean_ns, row.max_ns) == (None, None, None)


@pytest.mark.parametrize("text", ["{}", "[", '{"fio version": "x", "jobs": [{"read": 5}]}'])
def test_other_json_is_an_error(tmp_path: Path, text: str) -> None:
    file = tmp_path / "fio.json"
    file.write_text(text)
    with pytest.raises(RecordingError, match="is not a result of fio"):
        read_fio_results(file)
