"""Requests of known programs: the cause of slow ones comes first, with the program's own share."""

import json
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.requests.result import RequestsResult
from harness.requests.session import result_with_page
from harness.requests.trace_marker import trace_marker
from stallscope.errors import StallscopeError
from stallscope.programs import program
from stallscope.recordings import open_recording
from topdown.requests.explanation import LEAST_EXCESS, LEAST_SHARE
from topdown.requests.marks import RECORD, marks_of

pytestmark = pytest.mark.live

# The state of the extra work of each program, and the function that does it.
CAUSES = {
    "slow-requests-disk": ("disk_write", "flush_log"),
    "slow-requests-lock": ("lock", "update_table"),
    "slow-requests-compute": ("running", "rebuild_index"),
    "slow-requests-memory": ("running", "grow_buffer"),
}


@dataclass(frozen=True)
class Diagnosis:
    """The result, and what the program measured of its own requests."""

    result: RequestsResult
    account: dict[str, int]

    @property
    def true_share(self) -> float:
        """Return the share of the extra work in the additional latency of slow requests."""
        account = self.account
        longer = account["slow_wall_ns"] - account["median_wall_ns"]
        return (account["slow_extra_ns"] - account["median_extra_ns"]) / longer


def diagnose(folder: Path, name: str, *options: str) -> Diagnosis:
    """Return the diagnosis of a run of 1.5 s."""
    words = [program("stallscope-kernels"), name, "--json", "--duration", "1.5", *options]
    collector = [program("stallscope-collect"), "--waits", "--requests", "--max-cost=1"]
    run = subprocess.run(
        [*collector, "-o", folder / "run", "--", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    account: dict[str, Any] = json.loads(run.stdout)["account"]
    return Diagnosis(result_with_page(open_recording(folder / "run"), with_page=False), account)


@pytest.mark.parametrize("name", CAUSES)
def test_the_cause_of_slow_requests_comes_first_with_its_share(tmp_path: Path, name: str) -> None:
    diagnosis = diagnose(tmp_path, name)
    state, function = CAUSES[name]
    assert diagnosis.result.requests == pytest.approx(diagnosis.account["requests"], abs=20)
    # On a busy machine slow requests also wait for a CPU, which the program does not count.
    first = next(row for row in diagnosis.result.states if row.state != "run_queue")
    assert first.state == state
    # The queue may have nine tenths of the latency. A state needs both to stand out.
    assert first.stands_out or first.share < max(LEAST_SHARE, LEAST_EXCESS)
    assert any(function in frame for frame in first.place)
    assert first.share == pytest.approx(diagnosis.true_share, abs=0.03)


@pytest.mark.parametrize("name", ["slow-requests-disk", "slow-requests-lock"])
def test_nothing_but_a_busy_cpu_stands_out_in_the_look_alike(tmp_path: Path, name: str) -> None:
    result = diagnose(tmp_path, name, "--look-alike").result
    assert {row.state for row in result.states if row.stands_out} <= {"run_queue"}


def test_marks_written_to_trace_marker_are_collected() -> None:
    try:
        with trace_marker() as marks:
            path = Path("/sys/kernel/tracing/trace_marker")
            with path.open("wb", buffering=0) as file:
                file.write(b"stallscope: begin 4711 checkout")
                file.write(b"stallscope: end 4711")
    except StallscopeError as error:
        pytest.skip(f"needs the kernel's copies of trace_marker: {error.message}")
    read_back = marks_of(np.frombuffer(marks.content, RECORD))
    mine = read_back.take(read_back.tid == os.getpid())
    assert mine.identity.tolist() == [4711, 4711]
    assert "checkout" in read_back.names


def test_a_running_program_in_another_pid_namespace_is_recorded(
    tmp_path: Path, needs_root: None
) -> None:
    kernels = [program("stallscope-kernels"), "slow-requests-compute", "--duration", "20"]
    words = ["unshare", "--pid", "--fork", "--kill-child", *kernels]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as outer:
        try:
            pid = child_of(outer.pid)
            collector = [program("stallscope-collect"), "--waits", "--requests", "--max-cost=1"]
            run = tmp_path / "run"
            subprocess.run(
                [*collector, "--duration=0.6", "-o", run, "-p", str(pid)],
                capture_output=True,
                check=True,
                timeout=60,
            )
        finally:
            outer.kill()
    result = result_with_page(open_recording(run), with_page=False)
    assert result.requests > 20
    assert result.marks.unknown_threads == 0


def child_of(pid: int) -> int:
    """Return the first child of a process that has its threads."""
    for _ in range(1000):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children and len(list(Path(f"/proc/{children[0]}/task").iterdir())) > 1:
            return int(children[0])
        time.sleep(0.01)
    raise AssertionError(f"process {pid} started no program")
