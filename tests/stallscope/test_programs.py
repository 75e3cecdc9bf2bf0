"""Paths of the native programs."""

from pathlib import Path

import pytest

from stallscope.errors import UnableError
from stallscope.programs import program


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
