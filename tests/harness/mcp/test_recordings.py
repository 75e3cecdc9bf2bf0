"""The directory of recordings: no links, no directory that others write to."""

import os
from pathlib import Path

import pytest

from harness.mcp.recordings import open_recordings
from stallscope.errors import OutputError, RecordingError, UsageError


def test_the_directory_is_created_for_this_user_alone(tmp_path: Path) -> None:
    with open_recordings(tmp_path / "runs") as recordings:
        assert recordings.names() == []
        assert recordings.new_name(7, None) == "pid7-1"
        assert recordings.new_name(7, "slow") == "slow"
    assert (tmp_path / "runs").stat().st_mode & 0o777 == 0o700


def test_a_directory_that_others_write_to_is_refused(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    with pytest.raises(OutputError, match="cannot hold recordings"), open_recordings(shared):
        pass


def test_a_symbolic_link_is_no_directory_for_recordings(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/tmp")
    with pytest.raises(OutputError), open_recordings(tmp_path / "link"):
        pass


def test_links_and_files_are_no_recordings(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "outside").symlink_to("/etc")
    (tmp_path / "file").write_text("x")
    with open_recordings(tmp_path) as recordings:
        recordings.check_recording("real")
        assert recordings.names() == ["real"]
        for name in ("link", "outside", "file"):
            with pytest.raises(RecordingError, match="is not a directory"):
                recordings.check_recording(name)
            with pytest.raises(UsageError, match="exists"):
                recordings.new_name(1, name)
        with pytest.raises(RecordingError, match="there is no recording gone"):
            recordings.check_recording("gone")


def test_the_path_follows_the_directory_and_not_its_name(tmp_path: Path) -> None:
    with open_recordings(tmp_path / "runs") as recordings:
        (tmp_path / "runs").rename(tmp_path / "moved")
        (tmp_path / "runs").symlink_to("/etc")
        assert os.path.realpath(recordings.path) == str(tmp_path / "moved")
