"""Counting of marked phases: the counts cover what runs between the marks, and nothing else."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.live.counting import Counting, plan_of

pytestmark = pytest.mark.live
PLAN = plan_of(["task-clock", "page-faults"])

# Busy before, during and after the phase, in CPU time; prints the CPU time of the phase and of all.
# The child, which is created before the phase, does half of the work in each part.
PROGRAM = """
import os, socket, sys, time
marks = socket.socket(fileno=int(sys.argv[1]))
to_child, from_parent = os.pipe(), os.pipe()

def busy(seconds):
    end = time.process_time_ns() + int(seconds * 1e9)
    while time.process_time_ns() < end:
        pass

if os.fork() == 0:
    os.close(to_child[1])
    while (part := os.read(to_child[0], 1)):
        busy(0.1 if part == b'm' else 0.15)
        os.write(from_parent[1], str(time.process_time_ns()).encode().rjust(20))
    os._exit(0)

def work(part):
    os.write(to_child[1], part)
    busy(0.1 if part == b'm' else 0.15)
    return time.process_time_ns() + int(os.read(from_parent[0], 20))

def mark(word):
    marks.send(word + b'\\n')
    return marks.recv(64)

before = work(b'w')
assert mark(b'start').startswith(b'started ')
phase = work(b'm') - before
assert mark(b'stop').startswith(b'stopped ')
total = work(b'w')
print(phase, total)
"""


@contextmanager
def socket_pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def plan_file(folder: Path) -> Path:
    path = folder / "plan.json"
    path.write_text(json.dumps(PLAN))
    return path


def recording_in(folder: Path) -> Counting:
    counting = Counting(folder)
    counting.reload()
    return counting


def test_the_task_clock_is_that_of_the_phase_and_not_of_the_warm_up(
    collector: Path, tmp_path: Path
) -> None:
    with socket_pair() as (ours, theirs):
        command = (sys.executable, "-S", "-c", PROGRAM, str(theirs.fileno()))
        flags = (f"--phases={ours.fileno()}", f"--plan={plan_file(tmp_path)}")
        done = subprocess.run(
            [collector, "count", *flags, "-o", tmp_path / "run", "--", *command],
            pass_fds=(ours.fileno(), theirs.fileno()),
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    phase_ns, total_ns = map(int, done.stdout.split())
    counting = recording_in(tmp_path / "run")
    counted_ns = counting.last("task-clock")
    assert counted_ns == pytest.approx(phase_ns, rel=0.05)
    assert counted_ns < 0.5 * total_ns
    [phase] = counting.document["counting"]["phases"]
    assert phase["marked_start_ns"] <= phase["start_ns"] < phase["stop_ns"]
    assert counting.header["start_ns"] == phase["marked_start_ns"]
    assert counting.lines[-1]["w"] == phase["window"]
    # Parent and child are counted at once, at most for as long as the phase.
    enabled_ns = {line["scope"]["pid"]: line["enabled"] for line in counting.lines}
    assert sum(enabled_ns.values()) <= 2 * (phase["stop_ns"] - phase["start_ns"])


def marked(collector: Path, folder: Path, pid: int, *lines: str) -> Counting:
    """The counting of a process while these marks are written to a pipe, which is then closed."""
    read, write = os.pipe()
    progress_read, progress_write = os.pipe()
    flags = (f"--phases={read}", f"--plan={plan_file(folder)}", f"--progress-fd={progress_write}")
    process = subprocess.Popen(
        [collector, "count", *flags, "--duration=20", "-p", str(pid), "-o", folder / "run"],
        pass_fds=(read, progress_write),
    )
    os.close(read)
    os.close(progress_write)
    with open(progress_read) as messages, open(write, "w", buffering=1) as marks:
        assert any(json.loads(line)["event"] == "started" for line in messages)
        for line in lines:
            marks.write(line + "\n")
    assert process.wait(timeout=30) == 0
    return recording_in(folder / "run")


def test_the_end_of_the_marks_ends_the_phase_and_the_counting(
    collector: Path, start_target, tmp_path: Path
) -> None:
    done = marked(collector, tmp_path, start_target("light", 1).pid, "start")
    assert done.document["end"]["reason"] == "phases ended"
    assert len(done.document["counting"]["phases"]) == 1
    assert done.warnings() <= {"phase-late"}


def test_without_a_phase_nothing_is_counted_and_a_warning_says_so(
    collector: Path, start_target, tmp_path: Path
) -> None:
    done = marked(collector, tmp_path, start_target("light", 1).pid, "stop", "hello")
    assert done.warnings() == {"no-phase", "bad-mark"}
    assert done.last("task-clock") == 0
    assert done.document["complete"] is True


def test_each_phase_has_its_own_counts(collector: Path, start_target, tmp_path: Path) -> None:
    done = marked(collector, tmp_path, start_target("light", 1).pid, *["start", "stop"] * 3)
    phases = done.document["counting"]["phases"]
    assert [phase["window"] for phase in phases] == [0, 1, 2]
    clock = [line["v"][0] for line in done.lines]
    assert clock == sorted(clock)


@pytest.mark.parametrize("flag", ["--phases=-1", "--phases=999"])
def test_a_descriptor_that_is_not_open_is_refused(collector: Path, tmp_path: Path, flag) -> None:
    done = subprocess.run(
        [collector, "count", flag, f"--plan={plan_file(tmp_path)}", "-a", "-o", tmp_path / "run"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 2
    assert "--phases" in done.stderr


def test_a_flood_of_marks_does_not_keep_the_collector_from_ending(
    collector: Path, start_target, tmp_path: Path
) -> None:
    read, write = os.pipe()
    flags = (f"--phases={read}", f"--plan={plan_file(tmp_path)}", "--duration=0.5")
    flood = f"import os\nwhile True: os.write({write}, b'start\\nstop\\n' * 100)"
    marking = subprocess.Popen([sys.executable, "-S", "-c", flood], pass_fds=(write,))
    try:
        done = subprocess.run(
            [collector, "count", *flags, "-p", str(start_target("light", 1).pid), "-o",
             tmp_path / "run"],
            pass_fds=(read,), capture_output=True, timeout=30, check=False,
        )  # fmt: skip
    finally:
        marking.kill()
        marking.wait()
        os.close(read)
        os.close(write)
    assert done.returncode == 0, done.stderr
    assert recording_in(tmp_path / "run").document["end"]["reason"] == "duration"
