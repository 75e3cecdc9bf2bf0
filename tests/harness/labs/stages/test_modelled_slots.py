"""Modelled slots of both sides, with a stand-in for the simulation."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.labs.stages import modelled_slots
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.plan import Side
from harness.labs.stages.rounds import StagesSetup
from stallscope.errors import UnableError
from tests.harness.labs.stages.measurements import CORES
from tests.harness.topdown.measurements import MODELLED
from topdown.slots.measurement import Measurement


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StagesSetup:
    """A setup whose replays take 1 ms per 100 requests of CPU time."""

    def run(command: Sequence[str], **_: Any) -> Any:
        count = int(Path(command[command.index("--replay") + 1]).read_text())
        report = {"event": "replayed", "requests": count, "cpu_seconds": count * 1e-5}
        return type("Run", (), {"stdout": json.dumps(report).encode()})

    def requests(path: str, output: Path, seed: int, count: int) -> Path:
        output.write_text(str(count))
        return output

    monkeypatch.setattr(modelled_slots.subprocess, "run", run)
    monkeypatch.setattr(modelled_slots, "generate_requests", requests)
    monkeypatch.setattr(modelled_slots, "logged_batches", lambda _, folder: folder / "batches")
    return StagesSetup(StagesOptions("codec", tmp_path), CORES, None)


def test_both_sides_replay_the_same_requests_and_only_the_staged_one_in_batches(
    setup: StagesSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[Sequence[str]] = []

    def model(
        command: Sequence[str], function: str, cpu_s: Callable[[], float], *, text: str
    ) -> Measurement:
        assert cpu_s() == pytest.approx(modelled_slots.NATIVE_S)
        assert function == "stallscope_replay_requests"
        commands.append(command)
        return MODELLED

    monkeypatch.setattr(modelled_slots, "measure_function", model)
    sides: list[Side] = []
    trees = modelled_slots.model_sides(setup, sides.append)
    assert trees.sides == dict.fromkeys(Side, MODELLED)
    assert sides == list(Side)
    unstaged, staged = commands
    assert "--batches" in staged
    assert "--batches" not in unstaged
    assert [words[words.index("--stages") + 1] for words in commands] == ["off", "on"]


def test_a_missing_simulator_is_a_reason(
    setup: StagesSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> Measurement:
        raise UnableError("valgrind is not installed", "install valgrind")

    monkeypatch.setattr(modelled_slots, "measure_function", refuse)
    trees = modelled_slots.model_sides(setup, lambda _: None)
    assert (trees.sides, trees.unavailable) == ({}, "valgrind is not installed")
