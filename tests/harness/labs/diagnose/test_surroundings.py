"""What stands around a program of the table."""

import sys
from pathlib import Path

import pytest

from harness.labs.diagnose.entries import Entry
from harness.labs.diagnose.surroundings import Surroundings, running, surroundings
from stallscope.errors import UnableError


def test_words_of_the_table_become_command_lines() -> None:
    around = Surroundings({"file": "/x", "first": "0"})
    assert around.command(("work", "read", "{file}"))[:2] == [sys.executable, "-m"]
    assert around.command(("work", "read", "{file}"))[-1] == "/x"
    assert around.command(("kernels", "lock-hog"))[0].endswith("stallscope-kernels")
    script = Path(around.command(("node", "allocations.js"))[1])
    assert script.is_file()


def test_the_program_beside_and_the_files_are_gone_at_the_end() -> None:
    with surroundings(Entry(name="x", cause="", beside=("sleep", "60"))) as around:
        file = Path(around.places["file"])
        assert file.stat().st_size > 0
        assert around.beside_name == "sleep"
    assert not file.exists()


def test_a_program_that_is_not_installed_is_an_error() -> None:
    with pytest.raises(UnableError, match="no-such-program"), running(["/no-such-program"]):
        pass
