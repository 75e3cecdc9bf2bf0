"""The repository itself: what a newcomer relies on."""

import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest

from harness.cli.command_line import COMMANDS, group
from stallscope.errors import ExitCode


def tracked(checkout: Path, *patterns: str) -> list[Path]:
    """The files git tracks."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *patterns],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=True,
    )
    return [checkout / name for name in listed.stdout.split("\0") if name]


def test_dev_is_posix_shell(checkout: Path) -> None:
    assert (checkout / "dev").read_text().startswith("#!/bin/sh\n")
    subprocess.run(["sh", "-n", checkout / "dev"], check=True)


def test_dev_names_its_commands(checkout: Path) -> None:
    helped = subprocess.run([checkout / "dev", "help"], capture_output=True, text=True, check=True)
    for name in ("demo", "test", "check", "build", "bench", "clean"):
        assert re.search(rf"^  {name}\b", helped.stdout, re.MULTILINE)
    wrong = subprocess.run([checkout / "dev", "frobnicate"], capture_output=True, check=False)
    assert wrong.returncode == ExitCode.USAGE


def test_files_stay_readable_in_one_sitting(checkout: Path) -> None:
    sources = tracked(checkout, "*.py", "*.cpp", "*.hpp", "*.js", "*.css", "dev")
    long = [path for path in sources if len(path.read_text().splitlines()) > 400]
    assert not long


def test_every_command_has_a_page(checkout: Path) -> None:
    assert {path.stem for path in (checkout / "docs" / "commands").glob("*.md")} >= set(COMMANDS)


def readme_commands() -> list[str]:
    """The stallscope command lines of README's and the command pages' shell blocks."""
    root = Path(__file__).parents[2]
    found = []
    for page in [root / "README.md", *sorted((root / "docs" / "commands").glob("*.md"))]:
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(), re.DOTALL):
            found += [line for line in block.splitlines() if line.startswith("stallscope ")]
    return sorted(set(found))


@pytest.mark.parametrize("line", readme_commands())
def test_every_documented_command_line_is_understood(line: str) -> None:
    """Each is parsed by its command, every option and value checked; it is not run to its end."""
    plain = re.sub(
        r"\$\([^)]*\)",
        "1234",
        line.split(" | ", maxsplit=1)[0].split("#", maxsplit=1)[0].split(" > ", maxsplit=1)[0],
    )
    words = shlex.split(plain)[1:]
    command = group.get_command(click.Context(group), words[0])
    if isinstance(command, click.Group):
        command, words = command.get_command(click.Context(command), words[1]), words[1:]
    assert command is not None
    command.make_context(words[0], words[1:], resilient_parsing=False)


def test_version_stands_once(checkout: Path) -> None:
    from stallscope import __version__

    pattern = re.compile(rf"(?<![\d.]){re.escape(__version__)}(?![\d.])")
    places = [
        path.name
        for path in tracked(checkout, "*.py", "*.toml", "CMakeLists.txt")
        if pattern.search(path.read_text())
    ]
    assert places == ["__init__.py"]
