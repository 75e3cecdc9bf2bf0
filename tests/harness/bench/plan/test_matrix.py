"""Data sets, the table [quick] and optional servers of a bench.toml."""

import sys
from pathlib import Path

import pytest

from harness.bench.plan.bench_file import read_bench_file
from harness.bench.plan.commands import BenchPlan, plan_of_file
from stallscope.errors import UsageError

MATRIX = """
cluster = "loop"
[quick]
runs = 1
parallel = [1]
environment = { SIZE = "2" }
[datasets.small]
environment = { DATA = "s" }
[datasets.large]
[servers.kv]
start = "{python} kv.py {port}"
[servers.other]
start = "no-such-program-here {port}"
optional = true
[clients.get]
run = "./get {port} {dataset} {n}"
parallel = [1, 4]
[clients.serial]
run = "./serial {dataset}"
datasets = ["large"]
"""


def plan_of(tmp_path: Path, text: str, *, quick: bool = False) -> BenchPlan:
    file = tmp_path / "bench.toml"
    file.write_text(text)
    return plan_of_file(read_bench_file(file), file, quick=quick)


def test_a_client_runs_with_every_server_data_set_and_number(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, MATRIX)
    assert [command.name for command in plan.commands] == [
        "Small/kv-get·1",
        "Small/kv-get·4",
        "Large/kv-get·1",
        "Large/kv-get·4",
        "Large/kv-serial",
    ]
    second = plan.commands[1]
    assert second.arguments == ("./get", "{port}", "small", "4")
    assert second.environment == {"DATA": "s"}
    assert second.place is not None
    assert (second.place.label, second.place.dataset, second.place.parallel) == (
        "kv-get",
        "small",
        4,
    )


def test_an_optional_server_that_is_not_installed_is_left_out_with_a_warning(
    tmp_path: Path,
) -> None:
    plan = plan_of(tmp_path, MATRIX)
    assert [server.name for server in plan.servers] == ["kv"]
    assert plan.warnings == ("server other: left out, its program is not installed",)


def test_quick_replaces_runs_numbers_and_environment(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, MATRIX, quick=True)
    assert plan.runs == 1
    assert [command.name for command in plan.commands if "get" in command.name] == [
        "Small/kv-get·1",
        "Large/kv-get·1",
    ]
    assert plan.commands[0].environment == {"SIZE": "2", "DATA": "s"}
    assert plan.servers[0].entry.environment == {"SIZE": "2"}


def test_quick_without_its_table_and_unknown_data_sets_are_errors(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no table \[quick\]"):
        plan_of(tmp_path, '[commands.a]\nrun = "true"\n', quick=True)
    with pytest.raises(UsageError, match="unknown data set 'larg'") as caught:
        plan_of(tmp_path, MATRIX.replace('["large"]', '["larg"]'))
    assert "large" in caught.value.remedy


def test_the_path_of_python_is_inserted_before_the_command_runs(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, '[commands.a]\nrun = "{python} -c pass"\n')
    assert plan.commands[0].arguments == (sys.executable, "-c", "pass")
