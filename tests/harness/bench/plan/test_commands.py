"""Commands of a benchmark: names, words, and the clients of each server."""

from pathlib import Path

import pytest

from harness.bench.plan.bench_file import (
    BenchFile,
    ClientEntry,
    CommandEntry,
    DatasetEntry,
    QuickEntry,
    ServerEntry,
)
from harness.bench.plan.commands import (
    benchmark_name,
    command_from_words,
    plan_of_file,
    unique_names,
    words_of,
)
from stallscope.errors import UsageError


def test_a_name_has_no_blanks_and_no_lower_case_first_letter() -> None:
    assert benchmark_name("sleep 0.1") == "Sleep_0.1"
    assert benchmark_name("···") == "···"
    assert command_from_words(["/usr/bin/true"]).name == "True"


def test_a_client_runs_with_every_server_and_number() -> None:
    content = BenchFile(
        commands={"sha1": CommandEntry(run="sha1sum x")},
        servers={"kv": ServerEntry(start="a"), "disk": ServerEntry(start="b")},
        clients={"get": ClientEntry(run="load {port} {n}", parallel=(1, 4))},
    )
    plan = plan_of_file(content, Path("/bench/bench.toml"))
    assert [command.name for command in plan.commands] == [
        "Sha1",
        "Kv-get·1",
        "Kv-get·4",
        "Disk-get·1",
        "Disk-get·4",
    ]
    assert plan.commands[2].arguments == ("load", "{port}", "4")
    assert plan.commands[2].directory == Path("/bench")
    assert [server.name for server in plan.servers] == ["kv", "disk"]


def test_equal_names_and_open_quotes_are_errors() -> None:
    with pytest.raises(UsageError, match="two commands have the name True"):
        unique_names([command_from_words(["true"]), command_from_words(["/bin/true"])])
    with pytest.raises(UsageError, match="quotation"):
        words_of("echo 'x", "--command")


def _file_of_one_client(server: ServerEntry, quick: QuickEntry | None = None) -> BenchFile:
    return BenchFile(
        servers={"kv": server},
        clients={"get": ClientEntry(run="true {port}")},
        datasets={"small": DatasetEntry(environment={"OBJECTS": "1000"})},
        quick=quick,
    )


def test_the_quick_environment_replaces_that_of_a_data_set(tmp_path: Path) -> None:
    content = _file_of_one_client(
        ServerEntry(start="true"), QuickEntry(environment={"OBJECTS": "10"})
    )
    plan = plan_of_file(content, tmp_path / "bench.toml", quick=True)
    assert plan.commands[0].environment["OBJECTS"] == "10"


def test_an_optional_server_is_searched_for_in_its_directory(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    program = tmp_path / "sub" / "server"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    server = ServerEntry(start="./server", directory="sub", optional=True)
    assert plan_of_file(_file_of_one_client(server), tmp_path / "bench.toml").warnings == ()


def test_a_plan_without_any_installed_server_is_refused(tmp_path: Path) -> None:
    server = ServerEntry(start="no-such-server", optional=True)
    with pytest.raises(UsageError, match="not installed: kv"):
        plan_of_file(_file_of_one_client(server), tmp_path / "bench.toml")
