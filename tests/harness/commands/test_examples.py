"""All commands: the examples in the help are valid command lines, and every option has a help text."""

import importlib
import re
import shlex
from pathlib import Path

import click
import pytest

import harness.commands
from harness.cli.command_line import group

MODULES = sorted(path.stem for path in Path(harness.commands.__path__[0]).glob("[a-z]*.py"))
FILES_OF_EXAMPLES = ("latency.json", "secret")
FOLDERS_OF_EXAMPLES = ("box/proc", "box/sys", "debug-files")


def command_of(module: str) -> click.Command:
    command = importlib.import_module(f"harness.commands.{module}").command
    assert isinstance(command, click.Command)
    return command


def example_lines(command: click.Command) -> list[list[str]]:
    """Return the words of each example; remarks, pipes and continued commands are left out."""
    lines = []
    for line in (command.epilog or "").splitlines():
        if line.strip().startswith("stallscope "):
            whole = re.sub(r"\$\([^)]*\)", "1234", line.strip())
            lines.append(shlex.split(re.split(r"\s{2,}\(|\s(?:\||>|&&)\s", whole)[0])[1:])
    return lines


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_the_help_are_understood(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command parses the line and checks every option and value; it does not run."""
    monkeypatch.chdir(tmp_path)
    for folder in FOLDERS_OF_EXAMPLES:
        Path(folder).mkdir(parents=True)
    for file in FILES_OF_EXAMPLES:
        Path(file).touch()
    lines = example_lines(command_of(module))
    for words in lines:
        command: click.Command | None = group
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            command = command.get_command(click.Context(command), words.pop(0))
        assert command is not None
        if "--help" not in words:
            command.make_context(command.name, words, resilient_parsing=False)
    assert lines


@pytest.mark.parametrize("module", MODULES)
def test_every_option_has_a_help_text_in_sentences(module: str) -> None:
    command = command_of(module)
    without = [
        parameter.opts[-1]
        for parameter in command.params
        if isinstance(parameter, click.Option)
        and not re.fullmatch(r"[A-Za-z0-9].*[.)]", parameter.help or "", re.DOTALL)
    ]
    assert not without
    assert re.fullmatch(r"[A-Z].*[.)]", command.get_short_help_str(limit=200))
