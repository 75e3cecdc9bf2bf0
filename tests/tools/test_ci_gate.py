"""The script of the GitHub Action, on a repository with two commits."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tools.ci_gate import MARK, main, markdown

GATE = f"{sys.executable} -m stallscope"
BASE = '[ "$1" = input ]\n'
HEAD = BASE + "n=0; while [ $n -lt 9000 ]; do n=$((n + 1)); done\n"
COMMITS = {"base": "a" * 40, "head": "b" * 40}


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=test", "-c", "user.email=test@invalid"]
    command = ["git", *identity, *words]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits of a program; the second needs more time."""
    folder = tmp_path / "a repository"
    folder.mkdir()
    git(folder, "init", "-q")
    for text in (BASE, HEAD):
        (folder / "prog.sh").write_text(text)
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "change")
    return folder


def arguments(repository: Path, outputs: Path, **changes: str) -> list[str]:
    words = {
        "repository": str(repository),
        "base": "HEAD~1",
        "build": "cp prog.sh {dir}/built.sh",
        "run": "/bin/sh {dir}/built.sh input",
        "fail-if": "slower:5%",
        "blocks": "6",
        "stallscope": GATE,
        "summary": str(outputs / "summary.md"),
        "comment": str(outputs / "comment.md"),
        "json": str(outputs / "gate.json"),
    } | {name.replace("_", "-"): value for name, value in changes.items()}
    return [f"--{name}={value}" for name, value in words.items()]


def test_two_commits_are_built_and_measured_on_one_machine(
    repository: Path, tmp_path: Path
) -> None:
    (tmp_path / "summary.md").write_text("earlier step\n")
    code = main(arguments(repository, tmp_path))
    document = json.loads((tmp_path / "gate.json").read_text())
    assert code == (document["verdict"] == "regression")
    assert len(document["blocks"]) in (6, 12)
    assert set(document["blocks"][0]) >= {"base", "base_again", "head"}
    comment = (tmp_path / "comment.md").read_text()
    assert comment.startswith(MARK)
    assert document["verdict"] in comment
    for commit in ("HEAD~1", "HEAD"):
        assert git(repository, "rev-parse", commit)[:12] in comment
    assert "| noise floor (base against base) |" in comment
    assert (tmp_path / "summary.md").read_text() == "earlier step\n" + comment
    assert git(repository, "worktree", "list").count("\n") == 0
    assert git(repository, "status", "--porcelain") == ""


def test_a_failing_build_names_the_commit_and_its_messages(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = "case {dir} in */head) echo no rule; false ;; esac"
    assert main(arguments(repository, tmp_path, build=build)) == 4
    assert "the build of head failed with exit status 1:\nno rule" in capsys.readouterr().err
    assert not (tmp_path / "comment.md").exists()
    assert git(repository, "worktree", "list").count("\n") == 0


def test_a_commit_that_is_not_here_is_named(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments(repository, tmp_path, base="--no-such-commit")) == 2
    assert "fetch-depth: 0" in capsys.readouterr().err


def test_a_gate_without_a_document_fails(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments(repository, tmp_path, run="/no/such/program")) not in (0, 1)
    assert "stallscope bench gate failed" in capsys.readouterr().err


def document(**changes: object) -> dict[str, object]:
    return {
        "verdict": "regression",
        "rule": "slower:2%",
        "threshold_percent": 2.0,
        "change": {"percent": 3.25, "low": 2.5, "high": 4.0, "n": 40},
        "noise_floor": {"percent": 0.1, "low": None, "high": 0.3, "n": 40},
        "power": 0.9,
        "blocks_needed": None,
        "blocks": [{"base": 1e6, "head": 3e6}, {"base": 2e6, "head": 5e6}],
        "warnings": ["noisy <b>`neighbour`"],
    } | changes


def test_the_table_has_medians_change_and_noise_floor() -> None:
    text = markdown(document(), COMMITS, "{dir}/prog `x`\n| y")
    assert "### regression (slower:2%)" in text
    assert "| base | `aaaaaaaaaaaa` | 1.500 ms |" in text
    assert "| head | `bbbbbbbbbbbb` | 4.000 ms |" in text
    assert "| head against base | +3.25 % | +2.50 to +4.00 % | 40 |" in text
    assert "| noise floor (base against base) | +0.10 % | ? to +0.30 % | 40 |" in text
    assert "probability of 90%; 80 % needs more than 200 blocks" in text
    assert "warning: noisy &lt;b>'neighbour'" in text
    assert "`{dir}/prog 'x' | y`" in text


def test_missing_values_are_not_zero() -> None:
    missing = {"percent": None, "low": None, "high": None, "n": 0}
    text = markdown(document(change=missing, power=None, blocks=[]), COMMITS, "true")
    assert "| head against base | not measured | | 0 |" in text
    assert "| base | `aaaaaaaaaaaa` | not measured |" in text
    assert "Power: unavailable" in text


def test_memory_is_in_bytes() -> None:
    rule = document(rule="memory:5%", blocks=[{"base": 2**20, "head": 3 * 2**20}])
    text = markdown(rule, COMMITS, "true")
    assert "1.00 MiB" in text
    assert "3.00 MiB" in text


def test_inputs_of_the_action_never_become_part_of_a_script(checkout: Path) -> None:
    action = yaml.safe_load((checkout / "action.yml").read_text())
    steps = action["runs"]["steps"]
    assert not [step["name"] for step in steps if "${{" in step["run"]]
    used = "".join(str(step.get("env", {})) + str(step.get("if", "")) for step in steps)
    assert not [name for name in action["inputs"] if f"inputs.{name}" not in used]
    for step in steps:
        subprocess.run(["sh", "-n"], input=step["run"], text=True, check=True)


def test_the_measuring_step_of_the_action_runs(
    checkout: Path, repository: Path, tmp_path: Path
) -> None:
    """As a runner does it: the step's own script, with its environment."""
    action = yaml.safe_load((checkout / "action.yml").read_text())
    step = next(step for step in action["runs"]["steps"] if step["name"] == "measure")
    program = tmp_path / "stallscope" / "bin" / "stallscope"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {GATE} "$@"\n')
    program.chmod(0o755)
    environment = {
        "BASE": "HEAD~1",
        "HEAD": "HEAD",
        "BUILD": "",
        "RUN": "/bin/true {dir}",
        "FAIL_IF": "slower:900%",
        "BLOCKS": "6",
        "STRICT": "false",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_ACTION_PATH": str(checkout),
        "PYTHONPATH": str(checkout),
    }

    def measure(**changes: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["sh", "-e", "-c", step["run"]],
            cwd=repository,
            env=os.environ | environment | changes,
            capture_output=True,
            text=True,
            check=False,
        )

    run = measure()
    assert run.returncode == 0, run.stderr
    output = dict(line.split("=", 1) for line in (tmp_path / "output").read_text().splitlines())
    assert output["verdict"] in ("no regression", "undecided")
    assert json.loads(Path(output["document"]).read_text())["schema"] == "stallscope.bench.gate/1"
    assert MARK in (tmp_path / "summary.md").read_text()
    # A second use in the job that fails does not report the verdict of the first one.
    (tmp_path / "output").unlink()
    assert measure(BASE="none").returncode == 2
    assert "verdict" not in (tmp_path / "output").read_text()
    assert not Path(output["document"]).exists()
