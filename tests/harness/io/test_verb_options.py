"""Options that the verbs of `stallscope io` have in common."""

import pytest

from harness.cli.command_line import main
from stallscope.errors import ExitCode


@pytest.mark.parametrize(
    "words", [("probe", "."), ("curve", "."), ("mix", "."), ("queue", "."), ("watch",)]
)
def test_force_without_a_recording_is_refused_before_anything_is_done(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["io", *words, "--force"]) == ExitCode.USAGE
    told = capsys.readouterr()
    assert told.out == ""
    assert "--force replaces a recording, and none is asked for" in told.err
    assert "add -o DIR" in told.err


@pytest.mark.parametrize("verb", ["probe", "curve", "mix", "queue", "watch"])
def test_every_verb_has_help_with_examples(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["io", verb, "--help"]) == 0
    text = capsys.readouterr().out
    assert "Examples:" in text
    for option in ("--output", "--force", "--json"):
        assert option in text
