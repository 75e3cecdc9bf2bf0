"""Files of our own: their content, the room they leave, and that nothing of them stays."""

import errno
import os
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from ioprobe.target.own_file import (
    KEPT_AT_MOST_BYTES,
    Space,
    check_space,
    make_unnamed,
    space_of,
    write_content,
)
from stallscope.errors import UnableError, UsageError

MIB = 2**20


@pytest.fixture
def directory(tmp_path: Path):
    descriptor = os.open(tmp_path, os.O_PATH | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def no_unnamed_files(monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def without(path, flags, *arguments, **named):
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(errno.EOPNOTSUPP, "no such thing")
        return real(path, flags, *arguments, **named)

    monkeypatch.setattr(os, "open", without)


@pytest.mark.parametrize("has_unnamed", [True, False])
def test_it_has_no_name_and_no_block_of_it_is_unwritten(
    tmp_path: Path, directory: int, monkeypatch: pytest.MonkeyPatch, has_unnamed: bool
) -> None:
    if not has_unnamed:
        no_unnamed_files(monkeypatch)
    made = make_unnamed(directory, "here")
    try:
        assert list(tmp_path.iterdir()) == []
        write_content(made, 9 * MIB, "here")
        status = os.fstat(made)
        assert (status.st_nlink, status.st_size) == (0, 9 * MIB)
        assert status.st_blocks * 512 >= 9 * MIB
        assert list(tmp_path.iterdir()) == []
    finally:
        os.close(made)


def test_its_content_does_not_compress_and_no_two_pages_are_the_same(directory: int) -> None:
    made = make_unnamed(directory, "here")
    try:
        write_content(made, 9 * MIB, "here")
        content = os.pread(made, 10 * MIB, 0)
    finally:
        os.close(made)
    assert len(content) == 9 * MIB
    assert len(zlib.compress(content[: 2 * MIB], 1)) > 0.99 * 2 * MIB
    pages = {content[at : at + 4096] for at in range(0, len(content), 4096)}
    assert len(pages) == len(content) // 4096


def test_how_far_it_is_was_told(directory: int) -> None:
    made = make_unnamed(directory, "here")
    told: list[tuple[int, int]] = []
    try:
        write_content(made, 9 * MIB, "here", lambda written, total: told.append((written, total)))
    finally:
        os.close(made)
    assert told[-1] == (9 * MIB, 9 * MIB)
    assert [written for written, _ in told] == sorted({written for written, _ in told})


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (
            errno.ENOSPC,
            "the disk is full after 4 MiB of 9 MiB were written; the file is gone again",
        ),
        (errno.EDQUOT, "this user's quota is full after 4 MiB of 9 MiB were written"),
        (errno.EIO, "writing our own file failed after 4 MiB of 9 MiB: Input/output error"),
    ],
)
def test_a_disk_that_is_full_or_fails_in_the_middle_is_one_error(
    directory: int, monkeypatch: pytest.MonkeyPatch, number: int, said: str
) -> None:
    real = os.pwrite

    def full(descriptor, content, offset):
        if offset:
            raise OSError(number, os.strerror(number))
        return real(descriptor, content, offset)

    monkeypatch.setattr(os, "pwrite", full)
    made = make_unnamed(directory, "here")
    try:
        with pytest.raises(UnableError) as caught:
            write_content(made, 9 * MIB, "here")
    finally:
        os.close(made)
    assert said in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EROFS, "is mounted read-only"),
        (errno.EACCES, "this user may not make a file there"),
        (errno.ENOSPC, "the disk is full at once"),
        (errno.EIO, "a file cannot be made there: Input/output error"),
    ],
)
def test_a_directory_that_takes_none_says_why(
    directory: int, monkeypatch: pytest.MonkeyPatch, number: int, said: str
) -> None:
    def refusing(*_arguments, **_named):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refusing)
    with pytest.raises(UnableError) as caught:
        make_unnamed(directory, "here")
    assert said in caught.value.message
    assert caught.value.remedy


def test_a_tenth_of_the_filesystem_is_kept_but_not_more_than_asked() -> None:
    assert Space(50 * MIB, 100 * MIB).kept_bytes == 10 * MIB
    assert Space(0, 2**50).kept_bytes == KEPT_AT_MOST_BYTES
    check_space(Space(50 * MIB, 100 * MIB), 40 * MIB, "here")
    with pytest.raises(UnableError) as caught:
        check_space(Space(50 * MIB, 100 * MIB), 40 * MIB + 1, "here")
    assert "50 MiB are free, of which 10 MiB are kept" in caught.value.message
    assert "ask for at most 40 MiB" in caught.value.remedy
    with pytest.raises(UnableError) as caught:
        check_space(Space(5 * MIB, 100 * MIB), MIB, "here")
    assert "free some space" in caught.value.remedy


def test_a_file_of_almost_nothing_is_refused() -> None:
    with pytest.raises(UsageError):
        check_space(Space(2**40, 2**40), MIB - 4096, "here")


def test_room_is_what_the_filesystem_tells(directory: int) -> None:
    space = space_of(directory)
    assert 0 <= space.free_bytes <= space.size_bytes


KILLED = """
import os, signal, sys
from ioprobe.target.own_file import make_unnamed, write_content
made = make_unnamed(os.open(sys.argv[1], os.O_PATH | os.O_DIRECTORY), "here")
def progress(written, total):
    print(os.listdir(sys.argv[1]), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
write_content(made, 9 << 20, "here", progress)
"""


def test_killed_in_the_middle_of_writing_nothing_of_it_stays(
    tmp_path: Path, checkout: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        capture_output=True, text=True, cwd=checkout, check=False,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert done.stdout == "[]\n"
    assert list(tmp_path.iterdir()) == []
