"""`stallscope cstates latency` with a generated machine's states and this machine's wake-ups."""

import json
from pathlib import Path

import pytest

from harness.cli.command_line import main
from tests.cstates.machine_trees import expand


def test_states_are_closed_individually_and_restored(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tree = expand("ice-lake-server", tmp_path / "tree")
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    roots = [f"--sysfs-root={tree}/sys", f"--proc-root={tree}/proc", f"--run-root={tmp_path}/run"]
    words = ["--kind", "timer", "--think-us", "100", "--rounds", "2", "--seconds", "0.05"]
    assert main(["cstates", "latency", *roots, *words, "--json"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert [(item["states"], item["closed"], item["limit_us"]) for item in document["results"]] == [
        ("as it is", [], None),
        ("up to C1", ["C1E"], 1),
        ("up to POLL", ["C1", "C1E"], 0),
        ("without C1", ["C1"], None),
    ]
    for result in document["results"]:
        counted = sum(count for _, _, count in result["histogram_ns"])
        assert counted == result["samples"] > 0
        assert result["histogram_ns"][-1][1] / 1000 == result["latency_us"]["max"]
    # The counters of a generated machine do not change, so that entries are unknown.
    assert {verdict["finding"] for verdict in document["verdicts"]} == {"not-counted"}
    assert [result["entries"] for result in document["results"]] == [{}] * 4
    assert any("do not change" in note for note in document["notes"])
    assert before == {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}


def test_a_machine_without_closable_states_gives_the_reason(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tree = expand("no-cpuidle", tmp_path / "tree")
    roots = [f"--sysfs-root={tree}/sys", f"--proc-root={tree}/proc"]
    assert main(["cstates", "latency", *roots]) == 3
    assert (
        "no setting to compare with: cpuidle has no driver: the kernel was booted with idle=poll"
        in capfd.readouterr().err
    )
