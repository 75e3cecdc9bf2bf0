"""Commands of a benchmark: names, words, and the clients of each server."""

from pathlib import Path

import pytest

from harness.bench.plan.bench_file import BenchFile, ClientEntry, CommandEntry, ServerEntry
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
