"""A command of a call: bounded output and time, and a document as answer."""

from pathlib import Path

import anyio
import pytest

from harness.mcp.command_run import CommandOutput, has_answer, run_command

FOREIGN = "raise SystemExit('a module of the folder was imported')"


def test_a_command_runs_in_the_folder_and_imports_nothing_from_it(tmp_path: Path) -> None:
    (tmp_path / "stallscope.py").write_text(FOREIGN)
    (tmp_path / "click.py").write_text(FOREIGN)
    words = ["schema", "no-such-document"]
    ended = anyio.run(run_command, words, str(tmp_path), 60.0)
    assert (ended.code, ended.output) == (2, b"")
    assert "there is no document 'no-such-document'" in ended.errors


def test_a_command_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    words = ["kernels", "independent-adds", "--duration", "60"]
    assert anyio.run(run_command, words, str(tmp_path), 0.05).code is None


@pytest.mark.parametrize(
    ("code", "output", "expected"),
    [
        (0, b'{"schema":1}\n', True),
        (4, b'{"schema":1}\n', True),
        (2, b'{"schema":1}\n', False),
        (0, b"text", False),
        (0, b"{" + b"x" * 9000, False),
        (None, b"{}", False),
    ],
)
def test_an_answer_is_a_short_document(code: int | None, output: bytes, expected: bool) -> None:
    assert has_answer(CommandOutput(code, output, "")) == expected
