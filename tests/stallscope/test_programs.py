"""Paths of the native programs."""

import os
from pathlib import Path

import pytest

from stallscope.errors import UnableError
from stallscope.programs import installed_program, program


def test_an_executable_in_the_folder_is_returned(tmp_path: Path) -> None:
    path = tmp_path / "stallscope-x"
    path.touch(mode=0o755)
    assert program("stallscope-x", tmp_path) == path


@pytest.mark.parametrize("mode", [None, 0o644])
def test_a_missing_or_not_executable_program_has_a_remedy(tmp_path: Path, mode: int | None) -> None:
    if mode is not None:
        (tmp_path / "stallscope-x").touch(mode=mode)
    with pytest.raises(UnableError, match="stallscope-x is not at") as raised:
        program("stallscope-x", tmp_path)
    assert "./dev build" in raised.value.remedy


def test_relative_directories_of_path_are_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "valgrind").touch(mode=0o755)
    (tmp_path / "bin" / "valgrind").touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    for path in ("", ".", "bin", f":{tmp_path}/missing"):
        monkeypatch.setenv("PATH", path)
        assert installed_program("valgrind") is None
    monkeypatch.setenv("PATH", f".:{tmp_path}/bin")
    assert installed_program("valgrind") == tmp_path / "bin" / "valgrind"


@pytest.mark.usefixtures("needs_root")
def test_root_runs_no_program_from_a_directory_of_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUDO_UID", raising=False)
    (tmp_path / "objdump").touch(mode=0o755)
    os.chown(tmp_path, 12345, 12345)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert installed_program("objdump") is None
