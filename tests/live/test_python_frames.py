"""Python frames of running interpreters, compared with a program of known behaviour."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chance import five_standard_errors
from tests.live.conftest import Recording
from tests.live.python_targets import (
    CALLS,
    DEPTH,
    LAMBDA,
    ODD,
    PROGRAM,
    SYSTEM,
    Interpreter,
    chains_of,
    impossible_calls,
    profile_of,
    share_below,
)
from topdown.stacks.profile import FunctionKind

pytestmark = pytest.mark.live
# On a loaded machine a few samples are read late; wrong stacks must be rare.
MAX_IMPOSSIBLE_SHARE = 0.02
MIN_FRAMED_SHARE = 0.8
NEAR = 0.03


def entries(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (directory / "python.jsonl").read_text().splitlines()]


@pytest.fixture
def running(system_python: Interpreter) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts the program on an interpreter, and ends it afterwards."""
    started: list[subprocess.Popen[str]] = []

    def start(*words: str, of: Interpreter = system_python) -> subprocess.Popen[str]:
        started.append(of.start(*words))
        return started[-1]

    yield start
    for process in started:
        with process:
            process.kill()


def test_names_order_and_shares_agree_with_the_program(
    running: Callable[..., subprocess.Popen[str]], record: Callable[..., Recording]
) -> None:
    process = running("2.5")
    run = record("-p", process.pid, "--stacks", "dwarf", "--duration", 2)
    assert run.exit_code == 0, run.messages
    took = json.loads(process.communicate()[0])
    analysis = profile_of(run.directory, lines=100)
    chains = chains_of(analysis)
    shares = analysis.python
    assert shares is not None
    assert shares.share(shares.framed) > MIN_FRAMED_SHARE, shares
    wrong = impossible_calls(chains)
    assert sum(wrong.values()) < MAX_IMPOSSIBLE_SHARE * shares.framed, wrong
    assert {call for chain in chains for call in chain.calls()} >= CALLS
    assert max(chain.python().count("deep") for chain in chains) == DEPTH + 1
    names = {"naïve": "Odd.naïve", "odd": ODD}
    for part, cpu_ns in took.items():
        measured = share_below(chains, names.get(part, part))
        share = cpu_ns / sum(took.values())
        chance = five_standard_errors(share, shares.framed)
        assert measured == pytest.approx(share, abs=NEAR + chance), part
    files = {
        function.name: function.module for function in analysis.profile.functions
        if function.kind == FunctionKind.PYTHON
    }  # fmt: skip
    assert files["square"] == files[LAMBDA] == str(PROGRAM)
    assert files[ODD] == "/tmp/\ufffd\n<b>.py"
    lines = {function.name: function.lines for function in analysis.profile.functions}
    text = PROGRAM.read_text().splitlines()
    hottest = int(lines["square"][0][0].rpartition(":")[2])
    assert text[hottest - 1].strip() in {"total += number * number", "for number in range(count):"}


def test_threads_that_run_python_hold_the_gil(
    running: Callable[..., subprocess.Popen[str]], record: Callable[..., Recording]
) -> None:
    process = running("9", "thread")
    run = record("-p", process.pid, "--stacks", "dwarf", "--duration", 1.5)
    snapshots = [entry for entry in entries(run.directory) if "t" in entry]
    held: dict[bool, list[bool]] = {True: [], False: []}
    for entry in snapshots:
        held[entry["tid"] == process.pid].append(entry["gil"])
    assert min(map(len, held.values())) > 30
    assert sum(held[True]) / len(held[True]) > 0.9
    assert sum(held[False]) / len(held[False]) < 0.1


def test_a_command_and_its_children_are_read(
    system_python: Interpreter, record: Callable[..., Recording], tmp_path: Path
) -> None:
    """A child executes another interpreter, another child is a fork of the first."""
    script = tmp_path / "parent.py"
    script.write_text(
        "import os, sys\n"
        f"sys.argv = [{str(PROGRAM)!r}, '1']\n"
        f"sys.path.insert(0, {str(PROGRAM.parent)!r})\n"
        "from python_program import main\n"
        "if os.fork() == 0:\n"
        "    main(1)\n"
        "elif os.fork() == 0:\n"
        f"    os.execv({SYSTEM!r}, [{SYSTEM!r}, '-S', '-E', {str(PROGRAM)!r}, '1'])\n"
        "else:\n"
        "    os.wait(), os.wait()\n"
    )
    run = record("--stacks", "dwarf", "--", *system_python.command, "-B", script)
    assert run.exit_code == 0, run.messages
    lines_of_file = entries(run.directory)
    framed = {entry["pid"] for entry in lines_of_file if "t" in entry}
    chains = chains_of(profile_of(run.directory))
    assert len(framed) >= 2
    outermost = {chain.python()[:2][-1] for chain in chains if "spin" in chain.python()}
    assert outermost == {"main"}


def test_frames_read_before_the_end_of_the_program_are_kept(
    running: Callable[..., subprocess.Popen[str]], record: Callable[..., Recording]
) -> None:
    process = running("3")  # a fifth of that in CPU time on a loaded machine
    run = record("-p", process.pid, "--stacks", "dwarf", "--duration", 60)
    assert run.exit_code == 0, run.messages
    assert run.document["end"]["reason"] == "target ended"
    lines_of_file = entries(run.directory)
    assert "counts" in lines_of_file[-1]
    assert lines_of_file[-1]["counts"]["read"] == sum("t" in entry for entry in lines_of_file) > 100
    assert [entry["name"] for entry in run.document["files"]].count("python.jsonl") == 1


def test_frames_read_before_the_collector_was_killed_are_kept(
    running: Callable[..., subprocess.Popen[str]], collector: Path, tmp_path: Path
) -> None:
    process = running("30")
    command = [collector, "-p", str(process.pid), "-o", tmp_path / "run", "--stacks", "dwarf"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as collecting:
        file = tmp_path / "run" / "python.jsonl"
        end = time.monotonic() + 20
        while time.monotonic() < end and not (file.exists() and file.stat().st_size > 20_000):
            time.sleep(0.02)
        collecting.send_signal(signal.SIGKILL)
    shares = profile_of(tmp_path / "run").python
    assert shares is not None
    assert shares.framed > 0


def test_programs_without_python_have_no_cost_and_no_output(
    start_target: Callable[..., Any], record: Callable[..., Recording]
) -> None:
    target = start_target("light", 1)
    run = record("-p", target.pid, "--duration", 0.5)
    kinds = [sorted(entry) for entry in entries(run.directory)]
    assert kinds == [["clock", "format"], ["counts"]]
    assert profile_of(run.directory).profile.samples > 0


def test_python_frames_can_be_switched_off(
    running: Callable[..., subprocess.Popen[str]], record: Callable[..., Recording]
) -> None:
    run = record("-p", running("9").pid, "--duration", 0.5, "--python", "off")
    assert not (run.directory / "python.jsonl").exists()
    assert run.document["options"]["python"] == "off"
    assert profile_of(run.directory).python is None


@pytest.mark.parametrize("hidden", ["deleted", "other mount namespace"])
def test_an_interpreter_without_a_reachable_path_is_detected(
    record: Callable[..., Recording],
    tmp_path: Path,
    hidden: str,
    system_python: Interpreter,
    request: pytest.FixtureRequest,
) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root: mounts, and mapped files that are deleted")
    copy = tmp_path / "python3-moved"
    words = [str(copy), "-S", "-E", str(PROGRAM), "30"]
    if hidden == "deleted":
        shutil.copy(os.path.realpath(SYSTEM), copy)
    else:
        inside = 'mount -t tmpfs none "$1" && cp "$2" "$1"/p && exec "$1"/p -S -E "$3" 30'
        apart = request.getfixturevalue("own_mounts")
        words = [*apart, "sh", "-c", inside, "sh", str(tmp_path)]
        words += [os.path.realpath(SYSTEM), str(PROGRAM)]
    environment = system_python.environment | {"PYTHONHOME": "/usr"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            copy.unlink(missing_ok=True)
            run = record("-p", process.pid, "--stacks", "dwarf", "--duration", 0.6)
        finally:
            process.kill()
    assert sum("t" in entry for entry in entries(run.directory)) > 10


def test_frames_of_the_interpreter_that_runs_the_tests_are_read(
    record: Callable[..., Recording],
) -> None:
    """The frames are read if the interpreter is 3.11 or later."""
    script = "def only_here():\n while True: pass\nonly_here()"
    with subprocess.Popen([sys.executable, "-S", "-c", script]) as process:
        try:
            run = record("-p", process.pid, "--stacks", "dwarf", "--duration", 0.6)
        finally:
            process.kill()
    names = {entry["name"] for entry in entries(run.directory) if "code" in entry}
    assert "only_here" in names
