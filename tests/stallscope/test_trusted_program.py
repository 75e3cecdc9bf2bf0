"""Programs that root starts for an option."""

import os
from pathlib import Path

import pytest

from stallscope.errors import UsageError
from stallscope.trusted_program import trusted_program

_AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: only root is restricted")


def _program(folder: Path) -> Path:
    path = folder / "check"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_a_program_of_the_system_is_trusted() -> None:
    assert trusted_program("true").is_absolute()


def test_a_missing_program_is_named() -> None:
    with pytest.raises(UsageError, match="nothing-here does not exist"):
        trusted_program("nothing-here")


@_AS_ROOT
def test_root_does_not_start_a_program_that_others_may_write(tmp_path: Path) -> None:
    program = _program(tmp_path)
    trusted_program(str(program))
    program.chmod(0o777)
    with pytest.raises(UsageError, match="other users may write to it"):
        trusted_program(str(program))


@_AS_ROOT
def test_root_does_not_start_a_program_of_another_user(tmp_path: Path) -> None:
    program = _program(tmp_path)
    os.chown(program, 65534, 65534)
    with pytest.raises(UsageError, match="belongs to the user 65534"):
        trusted_program(str(program))


@_AS_ROOT
def test_root_does_not_start_a_program_in_a_folder_of_another_user(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    program = _program(folder)
    os.chown(folder, 65534, 65534)
    with pytest.raises(UsageError, match="root does not start"):
        trusted_program(str(program))


@_AS_ROOT
def test_a_link_is_trusted_only_with_its_target(tmp_path: Path) -> None:
    program = _program(tmp_path)
    link = tmp_path / "link"
    link.symlink_to(program)
    trusted_program(str(link))
    os.chown(program, 65534, 65534)
    with pytest.raises(UsageError, match="belongs to the user 65534"):
        trusted_program(str(link))
