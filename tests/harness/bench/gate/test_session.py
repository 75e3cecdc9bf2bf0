"""`stallscope bench gate`: exit codes, JSON, commands that fail."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from benchmarks.gate_noise import CALM, NOISY, NoisyMachine
from harness.bench.gate.blocks import Block
from harness.bench.gate.measurement import BlockMeasurement
from harness.cli.command_line import main
from stallscope.errors import ExitCode
from tests.documents import assert_valid

GATE = ["bench", "gate", "--base", "true", "--head", "true", "--fail-if", "slower:2%"]


def simulate(monkeypatch: pytest.MonkeyPatch, blocks: Callable[[int], Sequence[Block]]) -> None:
    monkeypatch.setattr(BlockMeasurement, "blocks", lambda _, count: list(blocks(count)))


@pytest.mark.parametrize(
    ("slowdown", "options", "code"),
    [(0.0, [], ExitCode.DONE), (0.05, [], ExitCode.FINDING), (0.0, ["--strict"], ExitCode.DONE)],
)
def test_the_exit_code_is_the_verdict(
    slowdown: float, options: list[str], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulate(monkeypatch, NoisyMachine(CALM, 1).blocks(slowdown))
    assert main([*GATE, *options]) == code


def test_undecided_is_an_exit_code_with_strict_only(monkeypatch: pytest.MonkeyPatch) -> None:
    simulate(monkeypatch, NoisyMachine(NOISY, 1).blocks(0.0))
    few = ["--blocks", "6"]
    assert main([*GATE, *few]) == ExitCode.DONE
    assert main([*GATE, *few, "--strict"]) == 3


def test_real_runs_give_a_valid_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*GATE[:-1], "slower:900%", "--blocks", "6", "--json"]) == ExitCode.DONE
    printed = capsys.readouterr().out
    assert_valid("bench.gate", printed)
    document = json.loads(printed)
    assert document["verdict"] == "no regression"
    assert len(document["blocks"]) == 6
    assert document["placement"]["covered"]


def test_a_real_slowdown_is_a_regression(capsys: pytest.CaptureFixture[str]) -> None:
    gate = [*GATE[:4], "--head", "sleep 0.05", "--fail-if", "slower:100%", "--blocks", "8"]
    assert main(gate) == ExitCode.FINDING
    assert "regression (measured, slower:100%)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("head", "code"), [("false", ExitCode.TARGET_FAILED), ("no-such-program", 4), ("", 2)]
)
def test_a_side_that_fails_is_named(
    head: str, code: int, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main([*GATE[:4], "--head", head, "--fail-if", "slower:2%"]) == code
    assert "stallscope: error:" in capsys.readouterr().err
