"""`stallscope cstates latency` with a made machine's states; what wakes up is this one."""

import json
from pathlib import Path

import pytest

from harness.command_line import main
from tests.cstates.machine_trees import expand


def test_each_state_is_closed_alone_and_all_is_put_back(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tree = expand("ice-lake-server", tmp_path / "tree")
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    roots = [f"--sysfs-root={tree}/sys", f"--proc-root={tree}/proc", f"--run-root={tmp_path}/run"]
    words = ["--kind", "timer", "--think-us", "100", "--rounds", "2", "--seconds", "0.05"]
    assert main(["cstates", "latency", *roots, *words, "--json"]) == 0
    made = json.loads(capfd.readouterr().out)
    assert [(each["states"], each["closed"], each["limit_us"]) for each in made["results"]] == [
        ("as it is", [], None),
        ("up to C1", ["C1E"], 1),
        ("up to POLL", ["C1", "C1E"], 0),
        ("without C1", ["C1"], None),
    ]
    for result in made["results"]:
        counted = sum(count for _, _, count in result["histogram_ns"])
        assert counted == result["samples"] > 0
        assert result["histogram_ns"][-1][1] / 1000 == result["latency_us"]["max"]
    # A made machine's counters stand still, and that is what is told of its CPUs.
    assert {verdict["finding"] for verdict in made["verdicts"]} == {"never-idled"}
    assert before == {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}


def test_a_machine_whose_states_cannot_be_closed_says_why(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tree = expand("no-cpuidle", tmp_path / "tree")
    roots = [f"--sysfs-root={tree}/sys", f"--proc-root={tree}/proc"]
    assert main(["cstates", "latency", *roots]) == 3
    assert (
        "there is nothing to compare: cpuidle has no driver: the kernel was booted with idle=poll"
        in capfd.readouterr().err
    )
