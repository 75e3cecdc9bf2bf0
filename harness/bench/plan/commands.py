"""The commands of a benchmark, from the command line or from bench.toml."""

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.bench.plan.bench_file import BenchFile, CommandLine, ServerEntry
from stallscope.errors import UsageError

_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchCommand:
    """A command to measure. ``{port}`` is replaced once its server has a port."""

    name: str  # of the benchmark, without blanks
    arguments: tuple[str, ...]
    directory: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)  # beside the inherited one
    server: str = ""  # that must run; empty: none

    def full_environment(self) -> dict[str, str]:
        """Return the inherited environment with the command's own values."""
        return {**os.environ, **self.environment}


@dataclass(frozen=True, slots=True)
class ServerPlan:
    """A server that runs during all measurements."""

    name: str
    entry: ServerEntry
    directory: Path | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a benchmark runs."""

    commands: tuple[BenchCommand, ...]
    servers: tuple[ServerPlan, ...] = ()
    runs: int | None = None  # as the file says; None: the default
    warmup: int | None = None


def command_from_words(words: Sequence[str], name: str = "") -> BenchCommand:
    """Return the command of words on the command line."""
    if not words or not words[0]:
        raise UsageError("the command is empty", "name a command after --")
    text = " ".join([Path(words[0]).name, *words[1:]])
    return BenchCommand(name=benchmark_name(name or text), arguments=tuple(words))


def benchmark_name(text: str) -> str:
    """Return a text as a name of the Go benchmark format: no blanks, no lower-case first letter."""
    name = re.sub(r"[^\w./=,:+@%()!·-]+", "_", text)[:_LONGEST_NAME].strip("_") or "Command"
    return name[0].upper() + name[1:]


def unique_names(commands: Sequence[BenchCommand]) -> None:
    """Raise UsageError if two commands have the same name."""
    names = [command.name for command in commands]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(
            f"two commands have the name {twice}", "give them names in a bench.toml, or shorten"
        )


def words_of(line: CommandLine, where: str) -> tuple[str, ...]:
    """Return the words of a command line; UsageError if it is empty or has an open quote."""
    try:
        words = tuple(shlex.split(line)) if isinstance(line, str) else line
    except ValueError as error:
        raise UsageError(f"{where}: {error}", "close the quotation, or write a list") from error
    if not words:
        raise UsageError(f"{where}: the command is empty", "name a program")
    return words


def plan_of_file(content: BenchFile, path: Path) -> Plan:
    """Return the plan of a bench.toml; paths in it are relative to its folder."""
    folder = path.absolute().parent
    commands = [
        BenchCommand(
            name=benchmark_name(name),
            arguments=words_of(entry.run, f"commands.{name}.run"),
            directory=folder / entry.directory,
            environment=entry.environment,
        )
        for name, entry in content.commands.items()
    ]
    commands += _client_commands(content, folder)
    unique_names(commands)
    used = {command.server for command in commands}
    servers = tuple(
        ServerPlan(name, entry, folder / entry.directory)
        for name, entry in content.servers.items()
        if name in used
    )
    return Plan(tuple(commands), servers, content.runs, content.warmup)


def _client_commands(content: BenchFile, folder: Path) -> Iterator[BenchCommand]:
    for name, client in content.clients.items():
        words = words_of(client.run, f"clients.{name}.run")
        for server in client.servers or content.servers:
            for n in client.parallel or (None,):
                suffix = "" if n is None else f"·{n}"
                yield BenchCommand(
                    name=benchmark_name(f"{server}-{name}{suffix}"),
                    arguments=tuple(word.replace("{n}", str(n or 1)) for word in words),
                    directory=folder / client.directory,
                    environment=client.environment,
                    server=server,
                )
