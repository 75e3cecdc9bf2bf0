"""States of threads of live programs against schedstat, other readings and known answers."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.waits.analysis import WaitAnalysis, analyze_waits
from harness.waits.build import waits_result
from harness.waits.neighbours import cgroup_of, keep_neighbours
from stallscope.recordings import open_recording
from topdown.waits.run_queue import run_queue_users
from topdown.waits.states import ThreadState

pytestmark = pytest.mark.live

# Computes and sleeps in turn for a second; prints its run and queue time by schedstat.
WORK = """
import threading, time
def work():
    end = time.monotonic() + 1
    while time.monotonic() < end:
        sum(range(20000))
        time.sleep(0.005)
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
SPIN = "import time\nend = time.monotonic() + {}\nwhile time.monotonic() < end: pass"
CPU_CGROUPS = Path("/sys/fs/cgroup/cpu")


def analyzed(recording: Any) -> WaitAnalysis:
    assert recording.exit_code == 0, recording.messages
    return analyze_waits(open_recording(recording.directory))


def test_states_add_up_and_waits_have_causes(needs_root: None, record: Any) -> None:
    analysis = analyzed(record("--waits", "--", sys.executable, "-c", WORK))
    amounts, wall_ns = analysis.totals.amounts, analysis.totals.wall_ns
    lived = wall_ns > 0
    assert (amounts.sum(axis=1) == wall_ns).all()
    assert lived.sum() >= 3
    sleep = amounts[lived, ThreadState.SLEEP].sum()
    assert sleep > 0.2 * wall_ns.sum()  # the main thread waits for the others
    if not analysis.records.lost:
        unattributed = amounts[:, [ThreadState.OTHER, ThreadState.UNKNOWN]].sum()
        assert unattributed <= 0.02 * wall_ns.sum()


@pytest.fixture
def busy_cgroup() -> Iterator[Path]:
    """A cgroup in which a test may run a busy process."""
    if os.getuid() != 0:
        pytest.skip("needs root: cgroups are created")
    if not (CPU_CGROUPS / "cgroup.procs").exists():
        pytest.skip("needs the kernel's cgroups of version 1 for CPU time")
    folder = CPU_CGROUPS / f"stallscope-test-{os.getpid()}"
    folder.mkdir()
    yield folder
    for _ in range(50):  # until its processes have ended
        with suppress(OSError):
            folder.rmdir()
        if not folder.exists():
            break
        time.sleep(0.02)


class RunTimes(threading.Thread):
    """Reads the run time of a process by schedstat all the time, for any moment later."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._file = Path(f"/proc/{pid}/schedstat")
        self._readings: list[tuple[int, int]] = []
        self._end = threading.Event()

    def run(self) -> None:
        while not self._end.wait(0.005):
            run_ns = int(self._file.read_text().split()[0])
            self._readings.append((time.monotonic_ns(), run_ns))

    def between(self, begin_ns: int, end_ns: int) -> float:
        self._end.set()
        self.join()
        times, run_ns = zip(*self._readings, strict=True)
        begin, end = np.interp([begin_ns, end_ns], times, run_ns)
        return float(end - begin)


def test_a_busy_loop_in_another_cgroup_has_its_share_of_the_run_queue_time(
    busy_cgroup: Path, record: Any
) -> None:
    cpu = max(os.sched_getaffinity(0))
    pin = ["taskset", "-c", str(cpu), sys.executable, "-c"]
    busy = subprocess.Popen([*pin, SPIN.format(20)])
    target = subprocess.Popen([*pin, SPIN.format(20)])
    try:
        (busy_cgroup / "cgroup.procs").write_text(str(busy.pid))
        times = RunTimes(busy.pid)
        times.start()
        recording = record("--waits", "--duration", "1.5", "--pid", str(target.pid))
        analysis = analyzed(recording)
        # The target never sleeps, so it is in the run queue while the busy loop has the CPU.
        expected_ns = times.between(analysis.records.begin_ns, analysis.records.end_ns)
        keep_neighbours(recording.directory, [busy.pid])
    finally:
        for process in (busy, target):
            process.kill()
            process.wait()
    users = run_queue_users(analysis.records, analysis.kinds.intervals)
    queue_ns = sum(user.time_ns for user in users)
    found_ns = sum(user.time_ns for user in users if user.pid == busy.pid)
    unknown_ns = sum(user.time_ns for user in users if user.kind == "unknown")
    assert queue_ns > 0.2 * (analysis.records.end_ns - analysis.records.begin_ns)
    lost_ns = sum(row.end_ns - row.begin_ns for row in analysis.records.lost)
    assert abs(found_ns - expected_ns) <= 0.05 * queue_ns + unknown_ns + lost_ns
    result = waits_result(analysis, recording=recording.directory, report=None)
    cgroups = {user.pid: user.cgroup for user in result.run_queue}
    assert cgroups[busy.pid] == f"/{busy_cgroup.name}"
    assert cgroup_of(os.getpid()) != cgroups[busy.pid]


def test_threads_of_a_pid_namespace_have_states(needs_root: None, record: Any) -> None:
    program = ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", WORK]
    analysis = analyzed(record("--waits", "--", *program))
    names = {thread.name for thread in analysis.records.threads if thread.target}
    assert any(name.startswith("python") for name in names), names
    assert (analysis.totals.amounts.sum(axis=1) == analysis.totals.wall_ns).all()
    sleeping = analysis.totals.amounts[:, ThreadState.SLEEP].sum()
    assert sleeping > 0.3e9
