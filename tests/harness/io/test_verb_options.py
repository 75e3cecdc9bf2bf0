"""Options that the verbs of `stallscope io` share."""

import pytest

from harness.cli.command_line import main
from stallscope.errors import ExitCode


@pytest.mark.parametrize(
    "arguments", [("probe", "."), ("curve", "."), ("mix", "."), ("queue", "."), ("watch",)]
)
def test_force_without_an_output_is_refused(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["io", *arguments, "--force"]) == ExitCode.USAGE
    output = capsys.readouterr()
    assert output.out == ""
    assert "--force needs a recording to replace" in output.err
    assert "add -o DIR" in output.err


@pytest.mark.parametrize("verb", ["probe", "curve", "mix", "queue", "watch"])
def test_every_verb_has_help_with_examples(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["io", verb, "--help"]) == 0
    text = capsys.readouterr().out
    assert "Examples:" in text
    for option in ("--output", "--force", "--json"):
        assert option in text
