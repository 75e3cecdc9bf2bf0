"""Software events against answers that are known without them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live.counting import plan_of

pytestmark = pytest.mark.live
CLOCKS = plan_of(["task-clock", "page-faults"], ["context-switches", "cpu-migrations"])


@pytest.fixture(scope="session")
def kernels(collector: Path) -> Path:
    return collector.with_name("stallscope-kernels")


def faults_of(count, kernels: Path, folder: Path, iterations: int) -> int:
    words = ("page-faults", "--iterations", iterations)
    counting = count(plan_of(["page-faults"]), "--", kernels, *words, output=folder)
    assert counting.exit_code == 0, counting.messages
    return counting.last("page-faults")


def test_page_faults_equal_those_of_the_program(count, kernels: Path, tmp_path: Path) -> None:
    """Every iteration is a fault; start and end have a constant cost."""
    faults = [
        faults_of(count, kernels, tmp_path / str(iterations), iterations)
        for iterations in (1000, 3000, 5000)
    ]
    assert faults[1] - faults[0] == pytest.approx(2000, abs=20)
    assert faults[2] - faults[1] == pytest.approx(2000, abs=20)


def test_the_task_clock_equals_the_cpu_time_of_the_threads(
    count, target_program: Path, tmp_path: Path
) -> None:
    message = tmp_path / "said"
    words = ("/bin/sh", "-c", f"exec {target_program} spin 300 >{message}")
    counting = count(CLOCKS, "--", *words)
    assert counting.exit_code == 0, counting.messages
    own = [int(line.split()[2]) for line in message.read_text().splitlines() if line != "ready"]
    assert counting.last("task-clock") == pytest.approx(sum(own), rel=0.05)
    for line in counting.lines:
        assert line["running"] == line["enabled"]


def test_context_switches_equal_the_kernels_accounting(count) -> None:
    program = (
        "import resource, time\n"
        "for _ in range(200): time.sleep(0.0005)\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print(used.ru_nvcsw + used.ru_nivcsw, flush=True)\n"
    )
    # The program writes to the collector's standard output, which is not this process's.
    counting = count(CLOCKS, "--", "/bin/sh", "-c", f"{sys.executable} -S -c '{program}' >&2")
    assert counting.exit_code == 0, counting.messages
    switches = int(next(line for line in counting.messages.splitlines() if line.isdecimal()))
    # The shell and the creation of the process add switches that are not the program's.
    assert switches - 5 <= counting.last("context-switches") <= switches + 60
    assert switches >= 200


def test_children_and_threads_are_counted_with_their_parent(
    count, start_target, start_counting
) -> None:
    target = start_target("fork", 5, 100)
    counting = start_counting(plan_of(["task-clock"]), "-p", target.pid)
    counting.wait_for("started")
    target.go()
    own = target.end()
    done = counting.end()
    assert done.exit_code == 0
    assert done.last("task-clock") == pytest.approx(sum(cpu for _, cpu in own.values()), rel=0.1)


def test_threads_of_a_process_are_counted_separately(start_target, start_counting) -> None:
    target = start_target("busy", 2)
    counting = start_counting(plan_of(["task-clock"]), "-p", target.pid, "--per-thread")
    counting.wait_for("started")
    counting.wait_for("progress")
    tids = {int(entry.name) for entry in Path(f"/proc/{target.pid}/task").iterdir()}
    target.end()
    done = counting.end()
    assert {line["scope"]["tid"] for line in done.lines} == tids
    assert {line["scope"]["pid"] for line in done.lines} == {target.pid}


def test_a_single_thread_is_counted(start_target, count) -> None:
    target = start_target("busy", 2)
    busy = [
        int(entry.name)
        for entry in Path(f"/proc/{target.pid}/task").iterdir()
        if int(entry.name) != target.pid
    ]
    done = count(plan_of(["task-clock"]), "--tid", busy[0], "--duration", 0.3)
    assert done.exit_code == 0, done.messages
    assert {line["scope"]["tid"] for line in done.lines} == {busy[0]}
    last = done.lines[-1]
    assert 0 < last["v"][0] <= 1.05 * (last["t"] - done.header["start_ns"])


def test_a_process_with_threads_has_a_single_line_per_window(start_target, count) -> None:
    target = start_target("busy", 2)
    done = count(plan_of(["task-clock"]), "-p", target.pid, "--duration", 0.5, "--window", 50)
    assert done.exit_code == 0, done.messages
    windows = [line["w"] for line in done.lines]
    assert windows == list(range(len(windows)))
    assert done.document["windows"] == len(windows)
    values = [line["v"][0] for line in done.lines]
    assert values == sorted(values)


def test_every_cpu_has_separate_lines(needs_root, count) -> None:
    online = sorted(os.sched_getaffinity(0))
    cpus = ",".join(map(str, online))
    done = count(plan_of(["cpu-clock"]), "-C", cpus, "--duration", 0.2, "--window", 50)
    assert done.exit_code == 0, done.messages
    assert {line["scope"]["cpu"] for line in done.lines} == set(online)
    elapsed = done.lines[-1]["t"] - done.lines[0]["t"]
    first, last = (
        next(line for line in lines if line["scope"]["cpu"] == online[0])
        for lines in (done.lines, reversed(done.lines))
    )
    assert last["v"][0] - first["v"][0] == pytest.approx(elapsed, rel=0.1)


def test_a_cgroup_is_counted_without_its_neighbours(
    needs_root, count, busy_process, tmp_path: Path
) -> None:
    roots = [
        Path(path)
        for path in ("/sys/fs/cgroup/perf_event", "/sys/fs/cgroup")
        if (Path(path) / "cgroup.procs").exists()
    ]
    if not roots or not os.access(roots[0], os.W_OK):
        pytest.skip("needs the kernel's cgroups, mounted and writable")
    box = roots[0] / f"stallscope-count-{os.getpid()}"
    try:
        box.mkdir()
    except OSError:
        pytest.skip("needs the kernel's cgroups, mounted and writable")
    try:
        done = count(plan_of(["task-clock"]), "-G", box, "--duration", 0.2)
        assert done.exit_code == 0, done.messages
        assert done.last("task-clock") == 0  # the busy process is outside
        with subprocess.Popen(
            ["/bin/sh", "-c", "read go; while :; do :; done"], stdin=-1
        ) as inside:
            (box / "cgroup.procs").write_text(str(inside.pid))
            assert inside.stdin is not None
            inside.stdin.write(b"\n")
            inside.stdin.flush()
            done = count(plan_of(["task-clock"]), "-G", box, "--duration", 0.3, "--force")
            inside.kill()
        assert done.exit_code == 0, done.messages
        assert done.last("task-clock") > 0
        assert {line["scope"]["cgroup"] for line in done.lines} == {str(box)}
    finally:
        box.rmdir()


def test_threads_created_while_counting_are_counted_once(start_target, count) -> None:
    """Two threads at a time, with 5 ms of CPU time per thread; nearly all start during the counting."""
    target = start_target("churn", 5)
    plan = plan_of(["task-clock"], ["page-faults", "minor-faults"])
    done = count(plan, "-p", target.pid, "--duration", 0.5)
    own = target.end()
    assert done.exit_code == 0, done.messages
    assert "reads-refused" not in done.warnings()
    start, end = done.header["start_ns"], done.lines[-1]["t"]
    cpu_ns = sum(cpu for thread_start, cpu in own.values() if start < thread_start < end)
    # Threads that live across the start or the end, and the thread that creates the others.
    assert 0.9 * cpu_ns - 0.03e9 < done.last("task-clock") < 1.5 * cpu_ns + 0.03e9
