"""What the model needs, and how it says that it has not got it."""

import os
from pathlib import Path

import pytest

from stallscope.errors import UnableError, UsageError
from stallscope.system_files import Roots
from tests.topdown.slots.modelled.scripts import script
from topdown.slots.modelled import measure_command
from topdown.slots.modelled.command import ModelledMachine


def test_a_command_is_needed() -> None:
    with pytest.raises(UsageError, match="needs a command"):
        measure_command(())


def test_missing_valgrind_names_its_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnableError, match="valgrind") as error:
        measure_command(("true",))
    assert "install the package valgrind" in error.value.remedy
    assert error.value.exit_code == 3


def test_other_architectures_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script(tmp_path, "valgrind", "#!/bin/sh\nexit 1\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "cpuinfo").write_text("CPU implementer : 0x41\nCPU part : 0xd0c\n")
    with pytest.raises(UnableError, match="x86-64"):
        measure_command(("true",), machine=ModelledMachine(Roots.recorded(tmp_path)))
