"""Validation of the options of `stallscope lab diagnose`."""

from pathlib import Path

import pytest

from harness.labs.diagnose.options import DiagnoseLabOptions
from stallscope.errors import UsageError


@pytest.mark.parametrize(
    ("values", "option"),
    [
        ({"duration_s": 0.2}, "--seconds"),
        ({"duration_s": 1e6}, "--seconds"),
        ({"runs": 0}, "--runs"),
    ],
)
def test_numbers_out_of_range_are_refused(values: dict[str, float], option: str) -> None:
    with pytest.raises(UsageError, match=option):
        DiagnoseLabOptions(**values)  # type: ignore[arg-type]


def test_recordings_are_kept_in_a_new_directory_or_read_from_an_old_one(tmp_path: Path) -> None:
    assert DiagnoseLabOptions(keep=tmp_path / "new").keep == tmp_path / "new"
    with pytest.raises(UsageError, match="exists"):
        DiagnoseLabOptions(keep=tmp_path)
    with pytest.raises(UsageError, match="not a directory"):
        DiagnoseLabOptions(recorded=tmp_path / "new")
    with pytest.raises(UsageError, match="exclude each other"):
        DiagnoseLabOptions(keep=tmp_path / "new", recorded=tmp_path)
