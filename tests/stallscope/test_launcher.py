"""Commands in the helper process: usage, output, limits, and nothing left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from stallscope.errors import TargetError
from stallscope.launcher import LaunchedCommand, Launcher, resolve_program


@pytest.fixture
def launcher() -> Iterator[Launcher]:
    with Launcher() as started:
        yield started


def shell(script: str, **settings: object) -> LaunchedCommand:
    return LaunchedCommand(arguments=("/bin/sh", "-c", script), **settings)  # type: ignore[arg-type]


def test_a_run_has_status_time_and_usage(launcher: Launcher) -> None:
    run = launcher.run(shell("echo discarded; exit 3"))
    assert run.exit_status == 3
    assert run.wall_ns > 0
    assert run.minor_faults > 0
    assert 0 < run.max_rss_bytes < 20e6, "not the resident set of this interpreter"
    assert run.output == b""


def test_output_environment_and_directory_are_those_of_the_command(
    launcher: Launcher, tmp_path: Path
) -> None:
    command = shell(
        "echo $COLOUR; pwd",
        environment={"COLOUR": "green"},
        directory=tmp_path,
        output_limit_bytes=999,
    )
    assert launcher.run(command).output.decode() == f"green\n{tmp_path}\n"


def test_endless_output_is_cut(launcher: Launcher) -> None:
    run = launcher.run(shell("yes", output_limit_bytes=100, time_limit_s=0.05))
    assert run.timed_out
    assert run.output_cut
    assert len(run.output) == 100


def test_a_signal_is_an_exit_status_above_128(launcher: Launcher) -> None:
    assert launcher.run(shell("kill -SEGV $$")).exit_status == 128 + signal.SIGSEGV


def test_left_processes_are_ended_and_counted(launcher: Launcher) -> None:
    assert launcher.run(shell("setsid sleep 98.7 & exit 0")).leftovers == 1
    assert not psutil.Process(launcher.pid).children()


def test_a_program_that_does_not_exist_is_named(launcher: Launcher) -> None:
    with pytest.raises(TargetError, match="/no/such/program"):
        launcher.run(LaunchedCommand(arguments=("/no/such/program",)))
    with pytest.raises(TargetError, match="no-such-program in PATH"):
        resolve_program(("no-such-program",), None)
    assert resolve_program(("true",), None)[0].endswith("/true")


def test_a_server_runs_until_the_launcher_is_closed() -> None:
    with Launcher() as started:
        started.start(shell("sleep 98.6"), is_server=True)
        assert not started.has_ended(0.05)
        processes = psutil.Process(started.pid).children(recursive=True)
    assert processes
    assert not any(process.is_running() for process in processes)


def test_nothing_survives_when_this_process_is_killed() -> None:
    code = (
        "import os; from stallscope.launcher import *; l = Launcher();"
        "l.start(LaunchedCommand(arguments=('/bin/sh', '-c', 'setsid sleep 98.5 & sleep 98.5')),"
        " is_server=False); print(l.pid, flush=True); l.result()"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    helper = psutil.Process(int(parent.stdout.readline()))
    deadline = time.monotonic() + 20
    while len(processes := helper.children(recursive=True)) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(processes) >= 3
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    _, alive = psutil.wait_procs([helper, *processes], timeout=20)
    assert not alive
