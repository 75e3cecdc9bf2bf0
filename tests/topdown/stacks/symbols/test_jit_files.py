"""Which files of JIT compilers are trusted."""

import os
from pathlib import Path

import pytest

from stallscope.regular_file import MissingFileError, RefusedFileError
from topdown.stacks.symbols.jit_files import open_owned, process_identity


def status(folder: Path, text: str) -> Path:
    (folder / "4711").mkdir()
    (folder / "4711/status").write_text(text)
    return folder


def test_the_identity_is_the_innermost_pid_and_the_user(tmp_path: Path) -> None:
    proc = status(tmp_path, "Uid:\t5\t5\t5\t5\nNSpid:\t4711\t7\n")
    assert process_identity(4711, proc) == (7, 5)


def test_a_process_that_ended_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        process_identity(4711, tmp_path)


def test_a_damaged_status_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedFileError):
        process_identity(4711, status(tmp_path, "Uid:\nNSpid:\t4711\n"))


def test_a_file_of_the_owner_is_opened(tmp_path: Path) -> None:
    (tmp_path / "a.map").write_text("x")
    with open_owned(tmp_path, b"a.map", os.getuid()) as file:
        assert file.size == 1
