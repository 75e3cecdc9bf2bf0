"""Conditions of benchmark runs: throttling, stolen time, neighbours, too short runs."""

import subprocess
import sys
from pathlib import Path

import pytest

from harness.bench.plan.commands import command_from_words
from harness.bench.run.conditions import RunConditions, command_warnings, machine_warnings
from harness.bench.run.measurement import Measured, MeasuredRun
from harness.bench.run.result import CommandCounters, command_runs
from stallscope.machine_time import MachineTime
from stallscope.system_files import Roots


def moment(*, all_: int, idle: int, stolen: int = 0, throttled: int = 0) -> RunConditions:
    return RunConditions(MachineTime(all_, idle, stolen, 0), 0.0, throttled)


def run(wall_ns: int, *, failed: bool = False) -> MeasuredRun:
    fields = MeasuredRun.__struct_fields__[1:10]
    return MeasuredRun(command=0, failed=failed, **{**dict.fromkeys(fields, 0), "wall_ns": wall_ns})


@pytest.mark.parametrize(
    ("after", "warning"),
    [
        (moment(all_=1000, idle=990), ""),
        (moment(all_=1000, idle=700), "other processes used 30%"),
        (moment(all_=1000, idle=900, stolen=100), "the host took 10.0%"),
        (moment(all_=1000, idle=990, throttled=3), "throttled"),
        (RunConditions(None, 0.0, 0), ""),
    ],
)
def test_conditions_become_warnings(after: RunConditions, warning: str) -> None:
    texts = list(machine_warnings(moment(all_=0, idle=0), after))
    assert any(warning in text for text in texts) if warning else not texts


def test_processes_that_this_one_started_are_no_neighbours() -> None:
    code = "import time\nwhile time.process_time() < 0.2: pass\nprint(flush=True)\ninput()"
    before = RunConditions.now().own_cpu_s
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        server.stdout.readline()
        running = RunConditions.now().own_cpu_s
        server.communicate("\n")
    assert running - before > 0.15
    assert RunConditions.now().own_cpu_s - before > 0.15


def test_throttle_events_are_read_from_sysfs(tmp_path: Path) -> None:
    folder = tmp_path / "sys/devices/system/cpu/cpu0/thermal_throttle"
    folder.mkdir(parents=True)
    (folder / "core_throttle_count").write_text("4\n")
    (folder / "package_throttle_count").write_text("2\n")
    roots = Roots(proc=tmp_path / "proc", sys=tmp_path / "sys")
    assert RunConditions.now(roots).throttle_events == 6
    assert RunConditions.now(roots).machine is None


def test_short_runs_and_failures_are_named() -> None:
    def warnings(*runs: MeasuredRun) -> str:
        command = command_from_words(["true"])
        row = command_runs(0, command, Measured(list(runs)), (), CommandCounters())
        return "\n".join(command_warnings(row))

    assert "too short" in warnings(run(1_000_000))
    assert warnings(run(80_000_000)) == ""
    assert "1 run failed and is left out" in warnings(run(80_000_000), run(1, failed=True))
    assert "no run succeeded" in warnings(run(1, failed=True))
