"""Stages end in time, with everything they started, and say what was running."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools.running import unfinished_ctests

DEAF_ORPHAN = """setsid sh -c "trap '' TERM; sleep 987; sleep 987" & """


@pytest.fixture
def run_of(tmp_path: Path):
    """Runs a Python program that defines `stages`, in a separate process."""

    def run(stages: str, *, limit_s: float = 60, before: str = "", **options: object):
        program = tmp_path / "run.py"
        program.write_text(
            "import signal, sys\nfrom pathlib import Path\nfrom tools.stages import Schedule, Stage\n"
            f"{before}\nstages = [{stages}]\n"
            f"sys.exit(not Schedule(stages, Path({str(tmp_path / 'logs')!r}), {limit_s}).run())\n"
        )
        return subprocess.run(
            [sys.executable, program],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
            timeout=100,
            **options,
        )

    return run


def sleepers(number: int) -> list[str]:
    listed = subprocess.run(
        ["pgrep", "-fx", f"sleep {number}"], capture_output=True, text=True, check=False
    )
    return listed.stdout.split()


def test_a_stage_starts_after_those_it_needs(run_of, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    run = run_of(
        f"Stage('b', ('sh', '-c', 'echo b >>{trace}'), 60, 'two', needs=('a',)),"
        f"Stage('a', ('sh', '-c', 'sleep 0.3; echo a >>{trace}'), 60, 'one')"
    )
    assert run.returncode == 0, run.stderr
    assert trace.read_text().split() == ["a", "b"]


def test_what_needs_a_failed_stage_is_not_started(run_of, tmp_path: Path) -> None:
    run = run_of(
        "Stage('a', ('sh', '-c', 'echo its last words; exit 3'), 60, 'one'),"
        f"Stage('b', ('touch', '{tmp_path / 'b'}'), 60, 'two', needs=('a',))"
    )
    assert run.returncode == 1
    assert "a: failed with exit status 3" in run.stderr
    assert "its last words" in run.stderr
    assert "b: not started, because a failed" in run.stderr
    assert not (tmp_path / "b").exists()


def test_a_stage_that_hangs_is_named_with_its_processes_and_ended(run_of) -> None:
    run = run_of(f"Stage('slow', ('sh', '-c', {DEAF_ORPHAN + 'sleep 986'!r}), 1, 'one')")
    assert run.returncode == 1
    assert "slow: exceeded its time limit of 1 s" in run.stderr
    assert "sleep 986" in run.stderr
    assert "sleep 987" in run.stderr
    assert not sleepers(986)
    assert not sleepers(987)


def test_processes_that_a_passed_stage_left_are_ended(run_of) -> None:
    run = run_of("Stage('quick', ('sh', '-c', 'setsid sleep 985 & exit 0'), 60, 'one')")
    assert run.returncode == 0, run.stderr
    assert not sleepers(985)


def test_the_whole_run_has_a_limit(run_of) -> None:
    run = run_of("Stage('slow', ('sleep', '984'), 60, 'one')", limit_s=1)
    assert run.returncode == 1
    assert "the run exceeded its time limit of 1 s" in run.stderr
    assert "sleep 984" in run.stderr
    assert not sleepers(984)


def test_ignored_signals_reach_what_a_stage_starts(run_of) -> None:
    ignore = "".join(
        f"signal.signal(signal.{name}, signal.SIG_IGN)\n" for name in ("SIGINT", "SIGHUP")
    )
    child = "import signal, sys; sys.exit(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN)"
    run = run_of(f"Stage('a', ({sys.executable!r}, '-c', {child!r}), 60, 'one')", before=ignore)
    assert run.returncode == 0, run.stderr


def test_an_interrupt_ends_the_stages(tmp_path: Path) -> None:
    program = (
        "from pathlib import Path\nimport sys\nfrom tools.stages import Schedule, Stage\n"
        f"sys.exit(not Schedule([Stage('a', ('sleep', '983'), 60, 'one')], Path({str(tmp_path)!r}), 60).run())\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    ) as run:
        while not sleepers(983):
            assert run.poll() is None
            time.sleep(0.02)
        run.send_signal(signal.SIGTERM)
        assert run.wait(30) == 1
    assert not sleepers(983)


def test_the_tests_that_ctest_had_not_finished_are_named() -> None:
    text = "    Start  1: collect\n1/2 Test  #1: collect ....   Passed    0.13 sec\n    Start  2: value_log\n"
    assert unfinished_ctests(text) == ["value_log"]
