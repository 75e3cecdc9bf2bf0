"""The file bench.toml: commands, servers, clients and data sets.

[commands.sha1]
run = "python3 -c 'import hashlib'"

[servers.kv]
start = "stallscope serve --port {port}"
ready = "stallscope-ping 127.0.0.1:{port}"

[clients.get]
run = "stallscope load 127.0.0.1:{port} --connections {n}"
parallel = [1, 2, 4]

[datasets.small]  # optional: each client runs with each data set, {dataset} in its words
"""

import difflib
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from stallscope.documents import Amount, Count, Natural, Record, field, read_bounded
from stallscope.errors import RecordingError, UsageError

CommandLine = str | tuple[str, ...]  # words, or one text that is split like a shell's
_MAX_BYTES = 1 << 20
_REMEDY = "docs/commands/bench-run.md describes the file"


class _Process(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all processes of a benchmark have."""

    directory: str = ""  # relative to that of bench.toml
    environment: dict[str, str] = field(default_factory=dict)


class CommandEntry(_Process, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command to measure."""

    run: CommandLine


class ServerEntry(_Process, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A server: how it starts, how it shows that it is ready, how it stops."""

    start: CommandLine
    ready: CommandLine = ()  # exits with 0 when the server is ready; default: {port} accepts
    stop: CommandLine = ()  # default: SIGTERM, after 2 s SIGKILL
    ready_limit_s: Amount = 10.0
    optional: bool = False  # left out with a warning if its program is not installed


class ClientEntry(_Process, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command to measure with each server; {port}, {n} and {dataset} are replaced in it."""

    run: CommandLine
    servers: tuple[str, ...] = ()  # default: all
    parallel: tuple[Natural, ...] = ()  # values of {n}; each is a benchmark NAME·N
    datasets: tuple[str, ...] = ()  # default: all


class DatasetEntry(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A data set; its name replaces {dataset}."""

    environment: dict[str, str] = field(default_factory=dict)  # of the clients


class QuickEntry(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Values that replace those of the file with --quick."""

    runs: Natural | None = None
    warmup: Count | None = None
    parallel: tuple[Natural, ...] = ()  # of clients that have several
    environment: dict[str, str] = field(default_factory=dict)  # of all processes


class BenchFile(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a bench.toml."""

    commands: dict[str, CommandEntry] = field(default_factory=dict)
    servers: dict[str, ServerEntry] = field(default_factory=dict)
    clients: dict[str, ClientEntry] = field(default_factory=dict)
    datasets: dict[str, DatasetEntry] = field(default_factory=dict)
    quick: QuickEntry | None = None
    cluster: str = ""  # name of the set of hosts, for the page
    runs: Natural | None = None
    warmup: Count | None = None


_TABLES: dict[str, type[msgspec.Struct]] = {
    "commands": CommandEntry,
    "servers": ServerEntry,
    "clients": ClientEntry,
    "datasets": DatasetEntry,
}


def read_bench_file(path: Path) -> BenchFile:
    """Return the content of a bench.toml; UsageError names the place of the first error."""
    try:
        text = read_bounded(path, _MAX_BYTES).decode()
        table = tomllib.loads(text)
    except RecordingError as error:
        raise UsageError(error.message, "name a bench.toml that this user may read") from error
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, too deep
        raise UsageError(f"{path} is not TOML: {error}", _REMEDY) from error
    for place, key, known in _unknown_keys(table):
        near = difflib.get_close_matches(key, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known keys: {', '.join(known)}"
        raise UsageError(f"{path}: {place}unknown key {key!r}", hint)
    try:
        content = msgspec.convert(table, BenchFile)
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: {error}", _REMEDY) from error
    _check(content, path)
    return content


def _unknown_keys(table: Mapping[str, object]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield place, key and known keys of each key that has no meaning."""
    for key in table:
        if key not in BenchFile.__struct_fields__:
            yield "", key, BenchFile.__struct_fields__
    for name, kind in _TABLES.items():
        entries = table.get(name)
        for entry_name, entry in entries.items() if isinstance(entries, dict) else ():
            for key in entry if isinstance(entry, dict) else ():
                if key not in kind.__struct_fields__:
                    yield f"{name}.{entry_name}: ", key, kind.__struct_fields__
    quick = table.get("quick")
    for key in quick if isinstance(quick, dict) else ():
        if key not in QuickEntry.__struct_fields__:
            yield "quick: ", key, QuickEntry.__struct_fields__


def _check(content: BenchFile, path: Path) -> None:
    if not content.commands and not content.clients:
        raise UsageError(f"{path} has no command and no client", _REMEDY)
    for name, client in content.clients.items():
        if not content.servers:
            raise UsageError(f"{path}: clients.{name}: there is no server", _REMEDY)
        _check_names("server", client.servers, content.servers, f"{path}: clients.{name}")
        _check_names("data set", client.datasets, content.datasets, f"{path}: clients.{name}")


def _check_names(kind: str, names: Iterable[str], known: Mapping[str, object], place: str) -> None:
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            raise UsageError(
                f"{place}: unknown {kind} {name!r}",
                f"did you mean {near[0]}?" if near else _REMEDY,
            )
