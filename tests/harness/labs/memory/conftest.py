"""A shell script in place of the measuring program."""

from pathlib import Path

import pytest

from harness.labs.memory import program as memory_program
from tests.harness.labs.memory.program_lines import Script


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """A function that replaces the program with a shell script."""

    def install(body: str) -> None:
        path = tmp_path / "program"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        monkeypatch.setattr(memory_program, "program", lambda _: path)

    return install
