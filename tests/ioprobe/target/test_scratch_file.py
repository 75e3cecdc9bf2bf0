"""Scratch files: their content, the space they leave free, and their removal."""

import errno
import os
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from ioprobe.target.scratch_file import (
    MAX_RESERVE_BYTES,
    FilesystemSpace,
    check_space,
    filesystem_space,
    make_scratch_file,
    write_content,
)
from stallscope.errors import UnableError, UsageError

MIB = 2**20


@pytest.fixture
def directory(tmp_path: Path):
    descriptor = os.open(tmp_path, os.O_PATH | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def disable_tmpfile(monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def without(path, flags, *args, **kwargs):
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(errno.EOPNOTSUPP, "no such thing")
        return real(path, flags, *args, **kwargs)

    monkeypatch.setattr(os, "open", without)


@pytest.mark.parametrize("has_tmpfile", [True, False])
def test_a_scratch_file_has_no_name_and_is_fully_written(
    tmp_path: Path, directory: int, monkeypatch: pytest.MonkeyPatch, has_tmpfile: bool
) -> None:
    if not has_tmpfile:
        disable_tmpfile(monkeypatch)
    file = make_scratch_file(directory, "here")
    try:
        assert list(tmp_path.iterdir()) == []
        write_content(file, 9 * MIB, "here")
        status = os.fstat(file)
        assert (status.st_nlink, status.st_size) == (0, 9 * MIB)
        assert status.st_blocks * 512 >= 9 * MIB
        assert list(tmp_path.iterdir()) == []
    finally:
        os.close(file)


def test_the_content_is_incompressible_and_pages_differ(directory: int) -> None:
    file = make_scratch_file(directory, "here")
    try:
        write_content(file, 9 * MIB, "here")
        content = os.pread(file, 10 * MIB, 0)
    finally:
        os.close(file)
    assert len(content) == 9 * MIB
    assert len(zlib.compress(content[: 2 * MIB], 1)) > 0.99 * 2 * MIB
    pages = {content[offset : offset + 4096] for offset in range(0, len(content), 4096)}
    assert len(pages) == len(content) // 4096


def test_progress_is_reported_while_writing(directory: int) -> None:
    file = make_scratch_file(directory, "here")
    events: list[tuple[int, int]] = []
    try:
        write_content(file, 9 * MIB, "here", lambda written, total: events.append((written, total)))
    finally:
        os.close(file)
    assert events[-1] == (9 * MIB, 9 * MIB)
    assert [written for written, _ in events] == sorted({written for written, _ in events})


@pytest.mark.parametrize(
    ("errno_value", "message"),
    [
        (
            errno.ENOSPC,
            "the disk is full after 4 MiB of 9 MiB; the scratch file was removed",
        ),
        (errno.EDQUOT, "the user's quota is full after 4 MiB of 9 MiB"),
        (errno.EIO, "writing the scratch file failed after 4 MiB of 9 MiB: Input/output error"),
    ],
)
def test_a_write_error_is_reported_with_a_remedy(
    directory: int, monkeypatch: pytest.MonkeyPatch, errno_value: int, message: str
) -> None:
    real = os.pwrite

    def full(descriptor, content, offset):
        if offset:
            raise OSError(errno_value, os.strerror(errno_value))
        return real(descriptor, content, offset)

    monkeypatch.setattr(os, "pwrite", full)
    file = make_scratch_file(directory, "here")
    try:
        with pytest.raises(UnableError) as caught:
            write_content(file, 9 * MIB, "here")
    finally:
        os.close(file)
    assert message in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("errno_value", "message"),
    [
        (errno.EROFS, "is mounted read-only"),
        (errno.EACCES, "no permission to create a file"),
        (errno.ENOSPC, "the disk is full at once"),
        (errno.EIO, "cannot create a file: Input/output error"),
    ],
)
def test_a_create_error_is_reported_with_a_remedy(
    directory: int, monkeypatch: pytest.MonkeyPatch, errno_value: int, message: str
) -> None:
    def refusing(*_args, **_kwargs):
        raise OSError(errno_value, os.strerror(errno_value))

    monkeypatch.setattr(os, "open", refusing)
    with pytest.raises(UnableError) as caught:
        make_scratch_file(directory, "here")
    assert message in caught.value.message
    assert caught.value.remedy


def test_a_tenth_of_the_filesystem_stays_free_up_to_a_limit() -> None:
    assert FilesystemSpace(50 * MIB, 100 * MIB).reserve_bytes == 10 * MIB
    assert FilesystemSpace(0, 2**50).reserve_bytes == MAX_RESERVE_BYTES
    check_space(FilesystemSpace(50 * MIB, 100 * MIB), 40 * MIB, "here")
    with pytest.raises(UnableError) as caught:
        check_space(FilesystemSpace(50 * MIB, 100 * MIB), 40 * MIB + 1, "here")
    assert "50 MiB are free, and 10 MiB are kept free" in caught.value.message
    assert "use at most 40 MiB" in caught.value.remedy
    with pytest.raises(UnableError) as caught:
        check_space(FilesystemSpace(5 * MIB, 100 * MIB), MIB, "here")
    assert "free some space" in caught.value.remedy


def test_a_tiny_file_is_refused() -> None:
    with pytest.raises(UsageError):
        check_space(FilesystemSpace(2**40, 2**40), MIB - 4096, "here")


def test_space_comes_from_statvfs(directory: int) -> None:
    space = filesystem_space(directory)
    assert 0 <= space.free_bytes <= space.size_bytes


KILLED = """
import os, signal, sys
from ioprobe.target.scratch_file import make_scratch_file, write_content
file = make_scratch_file(os.open(sys.argv[1], os.O_PATH | os.O_DIRECTORY), "here")
def progress(written, total):
    print(os.listdir(sys.argv[1]), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
write_content(file, 9 << 20, "here", progress)
"""


def test_nothing_remains_if_the_process_is_killed_while_writing(
    tmp_path: Path, checkout: Path
) -> None:
    run = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        capture_output=True, text=True, cwd=checkout, check=False,
    )  # fmt: skip
    assert run.returncode == -signal.SIGKILL, run.stderr
    assert run.stdout == "[]\n"
    assert list(tmp_path.iterdir()) == []
