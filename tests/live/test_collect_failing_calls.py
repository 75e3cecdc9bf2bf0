"""System calls of the collector fail, one at a time: it ends, names the cause and loses no sample silently."""

import errno
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from stallscope._native import CaptureError
from stallscope.errors import StallscopeError
from tests.fault_injection import Fault, calls_in, faults_of, need_strace, recorder, was_injected
from tests.live.capture_check import counting_outcome, outcome
from tests.live.counting import plan_of
from tests.long_tests import long_tests

pytestmark = [pytest.mark.live, pytest.mark.long]
HANG_S = 40.0  # generous: strace slows the collector down
PLAN = plan_of(["task-clock", "page-faults"])
OUTPUT = "DIRECTORY"  # stands for the directory of a run in a command line
COMMAND = ("--", "sh", "-c", "while :; do :; done")


@dataclass(frozen=True, slots=True)
class Run:
    """What a run of the collector left."""

    directory: Path
    status: int
    messages: str


def run(prefix: tuple[str, ...], words: tuple[str, ...], directory: Path) -> Run:
    """Run the collector to its end; status -9 if it, or a command that it leaves, does not end."""
    command = [*prefix, *words]
    command[command.index(OUTPUT)] = str(directory)
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        _, messages = process.communicate(timeout=HANG_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        _, messages = process.communicate()
        return Run(directory, -signal.SIGKILL, messages)
    return Run(directory, process.returncode, messages)


def check(made: Run, error: str, read: Callable[[Path], str]) -> None:
    """Assert that the run ended in order, named the cause of a failure, and lost nothing silently."""
    assert made.status in (0, 2, 3, 4, 5, 6), made
    result = read(made.directory)
    if made.status == 0:
        assert result == "complete", made
        return
    assert "stallscope-collect: error: " in made.messages, made
    # A thread whose memory cannot be mapped fails with EAGAIN.
    causes = {error, "EAGAIN"} if error == "ENOMEM" else {error}
    texts = causes | {os.strerror(getattr(errno, cause)) for cause in causes}
    named = any(text in made.messages for text in texts)
    assert named or made.status in (4, 5), made
    if result == "complete":
        assert made.status == 5, made


@pytest.fixture(params=["process", "machine", "command", "count", "count-command"])
def words(request, collector, start_target, tmp_path: Path) -> tuple[str, ...]:
    """The command line of a short measurement."""
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(PLAN))
    kind = request.param
    counting = ("count", f"--plan={plan}") if kind.startswith("count") else ()
    start = (str(collector), *counting, "-o", OUTPUT, "--duration", "0.1")
    if kind.endswith("command"):
        return (*start, *COMMAND)
    if kind == "machine":
        return (*start, "-a")
    return (*start, "-p", str(start_target("light", 1).pid))


def test_a_failing_call_is_reported_and_loses_no_sample_silently(
    needs_root, words: tuple[str, ...], tmp_path: Path
) -> None:
    need_strace()
    log = tmp_path / "log"
    counts = "count" in words
    made = run(recorder(log), words, tmp_path / "recorded")
    assert made.status == 0, made
    faults = faults_of(calls_in(log))
    needed, limit = long_tests(short=4, long=150), long_tests(short=7, long=150)
    reached = tried = 0
    started = time.monotonic()
    problems = []
    for number, fault in enumerate(faults[:limit]):
        if reached == needed:
            break
        tried += 1
        made = run(fault.prefix(log), words, tmp_path / f"run-{number}")
        reached += was_injected(log)
        try:
            check(made, fault.error, counting_outcome if counts else outcome)
        except (AssertionError, StallscopeError, CaptureError) as error:
            problems.append(f"{fault}: {error}")
            print(problems[-1], flush=True)
    print(f"{reached} of {tried} faults reached in {time.monotonic() - started:.0f} s")
    assert not problems, "\n\n".join(problems)
    assert reached > tried / 2


@pytest.mark.parametrize("error", ["EMFILE", "ENFILE"])
def test_a_target_whose_threads_cannot_be_listed_has_not_ended(
    needs_root, collector: Path, start_target, tmp_path: Path, error: str
) -> None:
    need_strace()
    pid = start_target("light", 1).pid
    fault = Fault("openat", error, 1, path=f"/proc/{pid}/task")
    words = (str(collector), "-o", OUTPUT, "-p", str(pid), "--duration", "0.1", "--stacks", "fp")
    made = run(fault.prefix(tmp_path / "log"), words, tmp_path / "run")
    assert was_injected(tmp_path / "log")
    assert made.status == 3, made
    assert f"/proc/{pid}/task: {os.strerror(getattr(errno, error))}" in made.messages
    assert ("ulimit -n" if error == "EMFILE" else "fs.file-max") in made.messages


@pytest.mark.parametrize("counts", [False, True])
def test_a_command_that_cannot_be_started_is_an_error(
    needs_root, collector: Path, tmp_path: Path, counts: bool
) -> None:
    """The command waits for one byte from the collector, which waits for the command's exec."""
    need_strace()
    plan, log = tmp_path / "plan.json", tmp_path / "log"
    plan.write_text(json.dumps(PLAN))
    kind = ("count", f"--plan={plan}") if counts else ()
    words = (str(collector), *kind, "-o", OUTPUT, "--duration", "0.1", *COMMAND)
    assert run(recorder(log), words, tmp_path / "recorded").status == 0
    writes = [line for line in log.read_text().splitlines() if " write(" in line]
    release = next(number for number, line in enumerate(writes, 1) if r'"\1", 1' in line)
    made = run(Fault("write", "EIO", release).prefix(log), words, tmp_path / "run")
    assert was_injected(log)
    assert made.status == 3, made
    assert "the command 'sh' cannot be started: Input/output error" in made.messages


def test_a_command_does_not_outlive_a_failed_recording(
    needs_root, collector: Path, tmp_path: Path
) -> None:
    need_strace()
    log = tmp_path / "log"
    words = (str(collector), "-o", OUTPUT, *COMMAND)
    fault = Fault("unlinkat", "EIO", 6)  # the command runs by then
    made = run(fault.prefix(log), words, tmp_path / "run")
    assert was_injected(log)
    assert made.status == 6, made
