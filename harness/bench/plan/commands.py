"""The commands of a benchmark, from the command line or from bench.toml."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from msgspec import structs

from harness.bench.plan.bench_file import (
    BenchFile,
    ClientEntry,
    CommandEntry,
    CommandLine,
    ServerEntry,
)
from stallscope.documents import Natural, Record
from stallscope.errors import UsageError
from stallscope.programs import FOLDER

_LONGEST_NAME = 60
Entry = TypeVar("Entry", CommandEntry, ServerEntry, ClientEntry)


class MatrixPlace(Record, frozen=True, kw_only=True):
    """The place of a command among servers, clients and data sets, as a page shows it."""

    label: str  # SERVER-CLIENT, or the name of a command without a server
    cluster: str = ""
    dataset: str = ""
    parallel: Natural | None = None  # None: a serial client

    @property
    def row(self) -> str:
        """Return the label with the number of parallel clients."""
        return self.label if self.parallel is None else f"{self.label}·{self.parallel}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchCommand:
    """A command to measure. ``{port}`` is replaced once its server has a port."""

    name: str  # of the benchmark, without blanks
    arguments: tuple[str, ...]
    directory: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)  # beside the inherited one
    server: str = ""  # that must run; empty: none
    place: MatrixPlace | None = None  # if the command is of a bench.toml

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
class BenchPlan:
    """What a benchmark runs.

    ``left_out``: benchmarks that need a server that is not installed, and the name of the server.
    """

    commands: tuple[BenchCommand, ...]
    servers: tuple[ServerPlan, ...] = ()
    runs: int | None = None  # as the file says; None: the default
    warmup: int | None = None
    warnings: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)


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


def file_words(line: CommandLine, where: str) -> tuple[str, ...]:
    """Return the words of a line of bench.toml, with the paths of python and native programs."""
    paths = {"{python}": sys.executable, "{programs}": str(FOLDER)}
    return tuple(
        re.sub(r"\{(?:python|programs)\}", lambda match: paths[match[0]], word)
        for word in words_of(line, where)
    )


def plan_of_file(content: BenchFile, path: Path, *, quick: bool = False) -> BenchPlan:
    """Return the plan of a bench.toml; paths in it are relative to its folder.

    Servers that are optional and not installed are left out, with a warning. ``quick`` applies the
    table ``quick``; UsageError if the file has none.
    """
    if quick:
        content = quick_content(content, path)
    folder = path.absolute().parent
    missing = tuple(
        name
        for name, entry in content.servers.items()
        if entry.optional and not _is_installed(entry, name, folder)
    )
    commands = [
        BenchCommand(
            name=benchmark_name(name),
            arguments=file_words(entry.run, f"commands.{name}.run"),
            directory=folder / entry.directory,
            environment=entry.environment,
            place=MatrixPlace(label=name),
        )
        for name, entry in content.commands.items()
    ]
    clients = list(_client_commands(content, folder))
    commands += (command for command in clients if command.server not in missing)
    if missing and not commands:
        raise UsageError(
            f"{path}: the programs of its servers are not installed: {', '.join(missing)}",
            "install one of them, or add a [commands] entry",
        )
    unique_names(commands)
    used = {command.server for command in commands}
    servers = tuple(
        ServerPlan(name, entry, folder / entry.directory)
        for name, entry in content.servers.items()
        if name in used
    )
    warnings = tuple(f"server {name}: left out, its program is not installed" for name in missing)
    left_out = {command.name: command.server for command in clients if command.server in missing}
    return BenchPlan(tuple(commands), servers, content.runs, content.warmup, warnings, left_out)


def _is_installed(entry: ServerEntry, name: str, folder: Path) -> bool:
    """Return whether the program of a server exists; relative paths are in the server's folder."""
    program = file_words(entry.start, name)[0]
    if "/" in program:
        return os.access(folder / entry.directory / program, os.X_OK)
    return shutil.which(program) is not None


def quick_content(content: BenchFile, path: Path) -> BenchFile:
    """Return the content with the values of its table ``quick``; UsageError without one."""
    quick = content.quick
    if quick is None:
        raise UsageError(f"{path} has no table [quick]", "add one, or leave --quick out")

    added = quick.environment

    def shortened(entry: Entry) -> Entry:
        return structs.replace(entry, environment={**entry.environment, **added})

    clients = {
        name: structs.replace(
            shortened(client),
            parallel=(quick.parallel or client.parallel) if client.parallel else (),
        )
        for name, client in content.clients.items()
    }
    return structs.replace(
        content,
        commands={name: shortened(entry) for name, entry in content.commands.items()},
        servers={name: shortened(entry) for name, entry in content.servers.items()},
        clients=clients,
        datasets={
            name: structs.replace(entry, environment={**entry.environment, **added})
            for name, entry in content.datasets.items()
        },
        runs=quick.runs or content.runs,
        warmup=content.warmup if quick.warmup is None else quick.warmup,
    )


def _client_commands(content: BenchFile, folder: Path) -> Iterator[BenchCommand]:
    for name, client in content.clients.items():
        words = file_words(client.run, f"clients.{name}.run")
        for server in client.servers or content.servers:
            for dataset in client.datasets or content.datasets or ("",):
                for n in client.parallel or (None,):
                    place = MatrixPlace(
                        label=f"{server}-{name}",
                        cluster=content.cluster,
                        dataset=dataset,
                        parallel=n,
                    )
                    yield _client_command(words, client, content, place, server, folder)


def _client_command(
    words: Sequence[str],
    client: ClientEntry,
    content: BenchFile,
    place: MatrixPlace,
    server: str,
    folder: Path,
) -> BenchCommand:
    dataset = content.datasets.get(place.dataset)
    prefix = f"{place.dataset}/" if place.dataset else ""
    values = {"{n}": str(place.parallel or 1), "{dataset}": place.dataset}
    return BenchCommand(
        name=benchmark_name(f"{prefix}{place.row}"),
        arguments=tuple(
            re.sub(r"\{(?:n|dataset)\}", lambda match: values[match[0]], word) for word in words
        ),
        directory=folder / client.directory,
        environment={**client.environment, **(dataset.environment if dataset else {})},
        server=server,
        place=place,
    )
