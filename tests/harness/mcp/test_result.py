"""Errors are documents with escaped texts."""

from harness.mcp.result import error_of_command, tool_error
from stallscope.documents import encode
from tests.documents import assert_valid

OUTPUT = "warning: a\nstallscope: error: cannot read evil\x1b[31m\n  remedy: record again\n"


def test_the_message_and_remedy_of_a_command_are_kept() -> None:
    error = error_of_command(OUTPUT, 5)
    assert (error.exit_code, error.message) == (5, "cannot read evil\\x1b[31m")
    assert error.remedy == "record again"
    assert_valid("mcp.error", encode(error))


def test_a_command_without_a_message_gives_its_status() -> None:
    assert error_of_command("", 3).message == "the command ended with status 3"


def test_a_long_message_is_shortened() -> None:
    assert len(encode(tool_error("x" * 100_000, "", 2))) < 4096
