"""Modelled slots of the server's replay: path codec waits for code, path kv is not blamed for it."""

import os
import shutil
from pathlib import Path

import pytest

from harness.labs.stages import modelled_slots
from harness.labs.stages.modelled_slots import model_sides
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.plan import Side
from harness.labs.stages.replay import replay_sides
from harness.labs.stages.rounds import StagesSetup
from harness.workload.cores import two_cores, usable_cpus
from harness.workload.request_files import generate_path_requests
from stallscope.system_files import Roots
from tests.long_tests import long_tests
from topdown.slots.measurement import Kind, Measurement

FETCH = ("frontend_bound", "fetch_latency")
# A modelled side takes 7 s of CPU. test_stages_simulated.py compares the misses of both sides in each run.
SIDES = tuple(Side) if long_tests(short=0, long=1) else (Side.UNSTAGED,)
pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.fixture(autouse=True)
def needs_valgrind(monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("needs the program valgrind")
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two CPUs: one for the server, one for the loader")
    # Short replays: the shares of cold code and data are larger than in the lab.
    monkeypatch.setattr(modelled_slots, "NATIVE_S", long_tests(short=5, long=40) / 1000)


def setup_of(path: str, folder: Path) -> StagesSetup:
    options = StagesOptions(path, folder, duration_s=0.2, warmup_s=0.1)
    requests = generate_path_requests(path, folder / "requests.resp", options.seed)
    return StagesSetup(options, two_cores(Roots(), usable_cpus(None)), requests)


def modelled(path: str, folder: Path, *sides: Side) -> list[Measurement]:
    trees = model_sides(setup_of(path, folder), lambda _: None, sides)
    assert not trees.unavailable
    return [trees.sides[side] for side in sides]


def share(tree: Measurement, name: str) -> float:
    value = next(node.value for node in tree.nodes if node.name == name)
    assert value is not None
    return value


def test_codec_waits_for_code_and_less_so_with_stages(tmp_path: Path) -> None:
    unstaged, *rest = modelled("codec", tmp_path, *SIDES)
    assert unstaged.kind is Kind.MODELLED
    assert unstaged.bottleneck == FETCH
    for staged in rest:
        assert staged.bottleneck != FETCH
        for name in FETCH:
            assert share(staged, name) < share(unstaged, name) / 2


def test_kv_is_not_blamed_for_its_code(tmp_path: Path) -> None:
    for tree in modelled("kv", tmp_path, *SIDES):
        assert (tree.bottleneck or ("",))[0] != "frontend_bound"
        assert share(tree, "fetch_latency") < 0.1


def test_simulated_misses_are_those_of_requests_alone(tmp_path: Path) -> None:
    replays = replay_sides(setup_of("kv", tmp_path))
    assert not replays.unavailable
    assert replays.unstaged is not None
    assert replays.staged is not None
    ratio = replays.staged.instructions_per_request / replays.unstaged.instructions_per_request
    assert 0.5 < ratio < 2
