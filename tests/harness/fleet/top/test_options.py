"""Recordings below a directory."""

from pathlib import Path

import pytest

from harness.fleet.top.options import recordings_below
from stallscope.errors import RecordingError, UsageError


def test_a_directory_of_hosts_and_single_recordings_are_accepted(tmp_path: Path) -> None:
    for name in ("fleet/b", "fleet/a", "fleet/c.part", "single"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "single/recording.json").touch()
    (tmp_path / "x.folded").touch()
    paths = (tmp_path / "fleet", tmp_path / "single", tmp_path / "x.folded")
    assert [name for name, _ in recordings_below(paths)] == ["a", "b", "single", "x.folded"]


def test_missing_and_empty_directories_are_errors(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no"):
        recordings_below((tmp_path / "none",))
    with pytest.raises(RecordingError, match="there is no recording"):
        recordings_below((tmp_path,))
