"""No other user can redirect what root writes."""

import os
from pathlib import Path

import pytest

from stallscope.output_place import make_output_directory, open_place

ANOTHER_USER = 12345


@pytest.fixture
def theirs(tmp_path: Path, needs_root: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of another user."""
    monkeypatch.delenv("SUDO_UID", raising=False)
    folder = tmp_path / "theirs"
    folder.mkdir()
    os.chown(folder, ANOTHER_USER, ANOTHER_USER)
    return folder


def test_a_directory_for_output_is_private_and_is_not_created_twice(tmp_path: Path) -> None:
    make_output_directory(tmp_path / "run")
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700
    with pytest.raises(FileExistsError):
        make_output_directory(tmp_path / "run")


def test_an_output_directory_that_is_a_link_or_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match="symbolic link"):
        make_output_directory(tmp_path / "link")
    with pytest.raises(NotADirectoryError, match="not a directory"):
        make_output_directory(tmp_path / "file")


def test_an_output_directory_that_all_users_may_write_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run").chmod(0o1777)
    with pytest.raises(PermissionError, match="all users may write"):
        make_output_directory(tmp_path / "run")


def test_root_does_not_write_below_a_directory_of_another_user(theirs: Path) -> None:
    (theirs / "mine").mkdir()  # of root, but its owner's directory can be renamed
    for path in (theirs / "run", theirs / "mine" / "run", theirs):
        with pytest.raises(PermissionError, match=f"belongs to the user {ANOTHER_USER}"):
            make_output_directory(path)
    with pytest.raises(PermissionError, match="could redirect"), open_place(theirs):
        pass


def test_root_trusts_the_user_who_started_sudo(
    theirs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUDO_UID", str(ANOTHER_USER))
    make_output_directory(theirs / "run")


def test_root_follows_its_own_links_and_none_of_other_users(theirs: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "link").symlink_to("mine")
    (tmp_path / "their-link").symlink_to("mine")
    os.chown(tmp_path / "their-link", ANOTHER_USER, ANOTHER_USER, follow_symlinks=False)
    make_output_directory(tmp_path / "link" / "run")
    with pytest.raises(PermissionError, match="could redirect"):
        make_output_directory(tmp_path / "their-link" / "other")


@pytest.mark.usefixtures("theirs")
@pytest.mark.parametrize(
    ("mode", "group", "reason"),
    [(0o1777, 0, ""), (0o1775, ANOTHER_USER, ""), (0o775, 0, ""),
     (0o777, 0, "all users and not sticky"), (0o775, ANOTHER_USER, f"group {ANOTHER_USER}")],
)  # fmt: skip
def test_root_writes_in_a_shared_directory_only_if_it_is_sticky(
    mode: int, group: int, reason: str, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    os.chown(shared, 0, group)
    shared.chmod(mode)
    if reason:
        with pytest.raises(PermissionError, match=reason):
            make_output_directory(shared / "run")
    else:
        make_output_directory(shared / "run")


def test_a_loop_of_links_and_a_missing_directory_are_errors(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for folder in (tmp_path / "a", tmp_path / "missing"):
        with pytest.raises(OSError), open_place(folder):  # noqa: PT011 - any
            pass
