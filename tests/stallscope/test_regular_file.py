"""Opening of regular files only, and only below the root."""

import contextlib
import os
from pathlib import Path

import pytest

from stallscope.errors import UsageError
from stallscope.regular_file import (
    MissingFileError,
    RefusedFileError,
    open_in_root,
    open_regular,
    read_named_file,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A container's root directory, with a secret file outside it."""
    (tmp_path / "secret").write_text("outside")
    inside = tmp_path / "root"
    (inside / "usr/lib").mkdir(parents=True)
    (inside / "usr/lib/libx.so").write_text("inside")
    (inside / "lib").symlink_to("usr/lib")
    (inside / "abs").symlink_to("/usr/lib/libx.so")
    (inside / "escape").symlink_to("../secret")
    (inside / "usr/up").symlink_to("../../../../../../secret")
    (inside / "loop").symlink_to("loop")
    os.mkfifo(inside / "fifo")
    return inside


@pytest.mark.parametrize(
    "path", [b"/usr/lib/libx.so", b"lib/libx.so", b"/abs", b"/../usr/./lib/libx.so"]
)
def test_links_are_resolved_below_the_root(root: Path, path: bytes):
    with open_in_root(root, path) as file:
        assert file.read(0, file.size) == b"inside"


@pytest.mark.parametrize(
    "path", [b"/escape", b"/usr/up", b"/loop", b"/fifo", b"/usr", b"/none", b"/a\0b"]
)
def test_paths_out_of_the_root_and_special_files_are_refused(root: Path, path: bytes):
    with pytest.raises((RefusedFileError, ValueError)):
        open_in_root(root, path)


def test_untrusted_links_are_refused_anywhere_in_the_path(root: Path):
    another_owner = frozenset({12345})
    for path in (b"/abs", b"/lib/libx.so"):
        with pytest.raises(RefusedFileError, match="symbolic link"):
            open_in_root(root, path, link_owners=another_owner)
    with open_in_root(root, b"/lib/libx.so", link_owners=frozenset({os.getuid()})) as file:
        assert file.size == 6
    with pytest.raises(RefusedFileError, match="symbolic link"):
        open_in_root(root, b"/abs", link_owners=frozenset({os.getuid()}))


def test_a_device_or_pipe_is_never_opened(tmp_path: Path):
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", Path("/dev/zero"), tmp_path):
        with pytest.raises(RefusedFileError, match="not a regular file"):
            open_regular(path)


def test_a_missing_file_differs_from_a_refused_file(tmp_path: Path):
    with pytest.raises(MissingFileError):
        open_regular(tmp_path / "none")


def test_reading_beyond_the_end_is_an_error(tmp_path: Path):
    (tmp_path / "short").write_bytes(b"abc")
    with open_regular(tmp_path / "short") as file:
        for offset, length in ((0, 4), (4, 0), (1 << 62, 1), (-1, 1)):
            with pytest.raises(RefusedFileError, match="exceed"):
                file.read(offset, length)


def test_no_descriptor_is_left_open(root: Path):
    before = len(list(Path("/proc/self/fd").iterdir()))
    for path in (b"/usr/lib/libx.so", b"/abs", b"/escape", b"/loop", b"/fifo", b"/usr/lib"):
        with contextlib.suppress(RefusedFileError):
            open_in_root(root, path).close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_file_that_the_user_named_is_read_up_to_a_limit(root: Path) -> None:
    file = root / "usr/lib/libx.so"
    assert read_named_file(file, 6, "name another") == b"inside"
    with pytest.raises(UsageError, match="larger than 5 bytes") as error:
        read_named_file(file, 5, "name another")
    assert error.value.remedy == "name another"
    for other, message in (("fifo", "not a regular file"), ("none", "No such file")):
        with pytest.raises(UsageError, match=message):
            read_named_file(root / other, 5, "name another")
