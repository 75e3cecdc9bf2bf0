"""The command lines in the documents: those of shell blocks, and those after a prompt in other blocks."""

import re
import shlex
from pathlib import Path

import click

from harness.cli.command_line import group

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "commands").glob("*.md")),
]


def example_lines(page: Path) -> list[str]:
    """Return the lines of a page that run stallscope; lines that end in a backslash are joined."""
    lines: list[str] = []
    for kind, block in re.findall(r"^ *```(\w*)\n(.*?)^ *```", page.read_text(), re.DOTALL | re.M):
        for line in re.sub(r"\\\n\s*", " ", block).splitlines():
            command = line.strip().removeprefix("$ ") if kind != "sh" else line.strip()
            if kind != "sh" and not line.strip().startswith("$ "):
                continue
            command = re.sub(r"^(sudo|time) ", "", re.sub(r"^([A-Z_]+=\S* )+", "", command))
            if command.startswith("stallscope "):
                lines.append(command)
    return lines


def words_of(line: str) -> list[str]:
    """Return the words of the first command of a line, without "stallscope" and remarks."""
    plain = re.sub(r"\$\([^)]*\)", "1234", line).replace("$!", "1234").replace("$PID", "1234")
    plain = re.split(r"\s(?:\||>|2>|&&|&(?=\s|$)|;|#)", plain)[0]
    return shlex.split(plain)[1:]


def parse(words: list[str]) -> None:
    """Parse a command line with the real commands. Raises click's error if it is wrong."""
    command: click.Command | None = group
    name = "stallscope"
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name, words = words[0], words[1:]
        command = command.get_command(click.Context(command), name)
        if command is None:
            raise click.UsageError(f"there is no command {name}")
    assert command is not None
    if {"--help", "--version", "-h"}.isdisjoint(words):
        command.make_context(name, words, resilient_parsing=False)
