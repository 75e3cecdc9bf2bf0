"""Metrics and notes of the loader's runs in a comparison."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from cstates.pinning.session import PinnedRun
from harness.cstates.compare.subject import LoadPlan, LoadSubject, ServingProcesses
from harness.workload.options import ServerOptions
from harness.workload.process import ChildProcess
from harness.workload.server import RunningServer
from tests.harness.workload.fake_programs import LOADED, install

PLAN = LoadPlan(
    rate_per_s=500.0, seconds=0.5, warmup_s=0.2, connections=(4,), server_cpu=1, loader_cpu=0
)


@pytest.fixture
def subject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoadSubject]:
    install(tmp_path, "stallscope-load", "", monkeypatch)
    with subprocess.Popen(["sleep", "60"], stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        child = ChildProcess("stallscope-server", process, process.stderr)
        server = RunningServer(ServerOptions(), child, os.getpid(), 7379, None, ())
        (tmp_path / "runs").mkdir()
        yield LoadSubject(PLAN, 4, ServingProcesses(server), tmp_path / "runs")
        process.kill()


def run(subject: LoadSubject, **more: object) -> dict[str, float | None]:
    words = subject.command()
    folder = Path(words[words.index("-o") + 1])
    (folder / "load.json").write_text(json.dumps(LOADED | more))
    return subject.metrics(cast("PinnedRun", None))  # which a load does not use


def test_every_run_has_a_separate_folder_and_metrics(subject: LoadSubject) -> None:
    result = run(subject)
    assert result["latency_p50_us"] == 90.0
    assert result["latency_p99_us"] == 512.0
    assert result["server_cpu_s"] is not None
    assert result["server_cpu_s"] >= 0
    more = {"latency_us": {"p50": 1.0}}
    assert run(subject, **more)["latency_p99_us"] is None  # not measured, which is not zero
    assert subject.notes() == []
    assert subject.service_cpu_s() >= 0
    assert subject.name == ""


def test_late_loaders_and_error_replies_give_notes(subject: LoadSubject) -> None:
    run(subject, limited_by_loader=True, why="late")
    run(subject, errors=1200)
    first, second = subject.notes()
    assert first.startswith("the loader was late in 1 of 2 runs")
    assert second == "1,200 requests got an error reply"


def test_an_interrupted_load_is_not_a_run(subject: LoadSubject) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(subject, interrupted=True)
