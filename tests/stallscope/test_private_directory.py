"""Directories that no other user can write to."""

from pathlib import Path

import pytest

from stallscope.private_directory import private_directory, write_atomic


def test_a_missing_directory_is_created_for_this_user_only(tmp_path: Path) -> None:
    path = tmp_path / "cache"
    with private_directory(path) as descriptor:
        write_atomic(descriptor, "entry", [b"one", memoryview(b"two")], durable=True)
    assert path.stat().st_mode & 0o777 == 0o700
    assert (path / "entry").read_bytes() == b"onetwo"
    assert (path / "entry").stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in path.iterdir()] == ["entry"]


def test_a_directory_that_others_can_write_to_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "open"
    path.mkdir()
    path.chmod(0o777)
    with pytest.raises(PermissionError, match="another user"), private_directory(path):
        pass


def test_a_link_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match="link"), private_directory(tmp_path / "link"):
        pass


def test_a_failed_write_leaves_the_former_content(tmp_path: Path) -> None:
    def blocks() -> object:
        yield b"new"
        raise RuntimeError

    with private_directory(tmp_path / "cache") as descriptor:
        write_atomic(descriptor, "entry", [b"former"])
        with pytest.raises(RuntimeError):
            write_atomic(descriptor, "entry", blocks())  # type: ignore[arg-type]
    assert (tmp_path / "cache" / "entry").read_bytes() == b"former"
    assert [entry.name for entry in (tmp_path / "cache").iterdir()] == ["entry"]
