"""Errors on stderr: one form with a remedy, and the nearest name for a mistyped one."""

import click
import pytest

from harness.cli.errors import report_error, report_usage, usage_error
from stallscope.errors import ExitCode, UnableError


@click.command()
@click.option("--rounds", type=click.IntRange(1), default=1)
@click.option("--stages", type=click.Choice(["on", "off"]), default="on")
def command(**values: object) -> None:
    del values


def failure(*words: str) -> click.ClickException:
    try:
        command.make_context("stallscope test", list(words))
    except click.ClickException as error:
        return error
    raise AssertionError("the command line is valid")


@pytest.mark.parametrize(
    ("words", "message", "remedy"),
    [
        (("--round", "2"), "no such option", "did you mean --rounds? Otherwise see"),
        (("--xyzzy",), "no such option", "see stallscope test --help"),
        (("--stages", "of"), "invalid value for '--stages'", "did you mean off"),
        (("--rounds", "0"), "invalid value for '--rounds'", "see stallscope test --help"),
    ],
)
def test_a_wrong_command_line_has_our_form(
    words: tuple[str, ...], message: str, remedy: str
) -> None:
    error = usage_error(failure(*words))
    assert error.message.startswith(message)
    assert not error.message.endswith(".")
    assert error.remedy.startswith(remedy)


def test_an_error_is_printed_with_its_remedy_and_its_exit_code(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert report_error(UnableError("no counters\x1b", "ask for them")) == ExitCode.UNABLE
    assert capsys.readouterr().err == (
        "stallscope: error: no counters\\x1b\n  remedy: ask for them\n"
    )
    assert report_usage(failure("--xyzzy")) == ExitCode.USAGE
