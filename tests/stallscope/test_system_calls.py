"""System calls by number: paths that stay below a directory, file system types, detached mounts."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from stallscope import system_calls
from stallscope.system_calls import (
    PROC_MAGIC,
    SYSFS_MAGIC,
    detached_mount,
    file_system_type,
    open_beneath,
)


@pytest.fixture(params=[True, False], ids=["openat2", "without openat2"])
def tree(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Path, int]]:
    if request.param and not system_calls.has_openat2():
        pytest.skip("needs the kernel's openat2")
    monkeypatch.setattr(system_calls, "has_openat2", lambda: request.param)
    (tmp_path / "tree" / "inside").mkdir(parents=True)
    (tmp_path / "tree" / "inside" / "file").write_text("inside")
    (tmp_path / "outside").write_text("outside")
    directory = os.open(tmp_path / "tree", os.O_PATH | os.O_DIRECTORY)
    yield tmp_path / "tree", directory
    os.close(directory)


def test_a_file_below_the_directory_is_opened(tree: tuple[Path, int]) -> None:
    descriptor = open_beneath(tree[1], "inside/file", os.O_RDONLY)
    assert os.read(descriptor, 100) == b"inside"
    assert not os.get_inheritable(descriptor)
    os.close(descriptor)


@pytest.mark.parametrize(
    "path",
    ["../outside", "inside/../../outside", "/etc/passwd", "out", "absolute", "folder/outside"],
)
def test_nothing_outside_is_opened(tree: tuple[Path, int], path: str) -> None:
    folder, directory = tree
    (folder / "out").symlink_to("../outside")
    (folder / "absolute").symlink_to(folder.parent / "outside")
    (folder / "folder").symlink_to("..")
    with pytest.raises(OSError, match=r"\[Errno") as raised:
        open_beneath(directory, path, os.O_RDONLY)
    assert raised.value.errno in (errno.EXDEV, errno.ELOOP, errno.ENOTDIR)


def test_a_missing_file_is_reported_as_missing(tree: tuple[Path, int]) -> None:
    with pytest.raises(FileNotFoundError):
        open_beneath(tree[1], "inside/absent", os.O_RDONLY)


@pytest.mark.parametrize(("path", "magic"), [("/proc", PROC_MAGIC), ("/sys", SYSFS_MAGIC)])
def test_the_type_of_a_file_system_is_its_magic_number(path: str, magic: int) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    assert file_system_type(descriptor) == magic
    os.close(descriptor)


def test_a_detached_mount_is_visible_nowhere() -> None:
    before = Path("/proc/self/mounts").read_text()
    try:
        descriptor = detached_mount("devtmpfs")
    except OSError as error:
        pytest.skip(f"needs root: {error.strerror}")
    assert stat.S_ISCHR(os.stat("null", dir_fd=descriptor).st_mode)
    assert Path("/proc/self/mounts").read_text() == before
    os.close(descriptor)
