"""Kernel counters of processes, read from a synthetic /proc."""

import shutil
from pathlib import Path

import pytest

from topdown.slots.without_pmu.process_files import read_process, read_thread
from topdown.slots.without_pmu.process_watch import CounterWatch

TICK_S = 0.01  # USER_HZ of Linux


class Proc:
    """A synthetic /proc with one process."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.machine(0, 1000)
        (root / "sys" / "kernel").mkdir(parents=True)
        (root / "sys" / "kernel" / "task_delayacct").write_text("0\n")

    def machine(self, stolen: int, idle: int) -> None:
        (self.root / "stat").write_text(f"cpu  0 0 0 {idle} 0 0 0 {stolen} 0 0\ncpu0 1 2\n")

    def process(self, pid: int, *, user: int = 0, system: int = 0, minor: int = 0) -> None:
        (self.root / str(pid)).mkdir(exist_ok=True)
        self._stat(self.root / str(pid) / "stat", pid, ("S", user, system, minor))

    def thread(
        self, pid: int, tid: int, *, state: str = "R", on_cpu_ns: int = 0, queued_ns: int = 0,
        voluntary: int = 0, wchan: str = "0", children: str = "",
    ) -> None:  # fmt: skip
        folder = self.root / str(pid) / "task" / str(tid)
        folder.mkdir(parents=True, exist_ok=True)
        self._stat(folder / "stat", tid, (state, 0, 0, 0))
        (folder / "schedstat").write_text(f"{on_cpu_ns} {queued_ns} 7\n")
        (folder / "status").write_text(
            f"Name:\tx\nvoluntary_ctxt_switches:\t{voluntary}\nnonvoluntary_ctxt_switches:\t5\n"
        )
        (folder / "sched").write_text("x (1, #threads: 1)\nse.nr_migrations   :   3\n")
        (folder / "wchan").write_text(wchan)
        (folder / "children").write_text(children)

    def end_thread(self, pid: int, tid: int) -> None:
        shutil.rmtree(self.root / str(pid) / "task" / str(tid))

    @staticmethod
    def _stat(path: Path, number: int, values: tuple[str, int, int, int]) -> None:
        state, user, system, minor = values
        rest = " ".join(["0"] * 26) + " 11"  # up to the ticks of waiting for disks
        path.write_text(
            f"{number} (a) b (c) {state} 1 1 1 0 -1 0 {minor} 0 2 0 {user} {system} {rest}\n"
        )


@pytest.fixture
def proc(tmp_path: Path) -> Proc:
    return Proc(tmp_path)


class Clock:
    """A clock that the test advances."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def watch_of(proc: Proc, *, with_children: bool = False) -> tuple[CounterWatch, Clock]:
    clock = Clock()
    return CounterWatch(proc.root, with_children=with_children, clock=clock), clock


def test_a_name_with_parentheses_is_parsed(proc: Proc) -> None:
    proc.process(7, user=150, system=50, minor=9)
    counts = read_process(proc.root, 7)
    assert counts is not None
    assert (counts.user_s, counts.system_s) == pytest.approx((150 * TICK_S, 50 * TICK_S))
    assert (counts.minor_faults, counts.major_faults) == (9, 2)


def test_an_invalid_stat_file_counts_as_an_ended_process(proc: Proc) -> None:
    proc.process(7)
    (proc.root / "7" / "stat").write_text("7 (x) R 1 2\n")
    assert read_process(proc.root, 7) is None
    assert read_process(proc.root, 8) is None


def test_disk_waits_are_unknown_without_delay_accounting(proc: Proc) -> None:
    proc.process(7)
    proc.thread(7, 7)
    off = read_thread(proc.root, 7, 7, disk_waits=False)
    on = read_thread(proc.root, 7, 7, disk_waits=True)
    assert off is not None
    assert on is not None
    assert off.counts.disk_wait_ns is None
    assert on.counts.disk_wait_ns == 11 * 10**7


def test_counters_are_differences_over_the_observation(proc: Proc) -> None:
    proc.process(7, user=100, minor=50)
    proc.thread(7, 7, on_cpu_ns=10**9, queued_ns=10**8, voluntary=10)
    watch, clock = watch_of(proc)
    with watch:
        watch.start((7,))
        clock.now += 2
        proc.process(7, user=250, minor=80)
        proc.thread(7, 7, on_cpu_ns=25 * 10**8, queued_ns=4 * 10**8, voluntary=13)
        proc.machine(5, 1095)
    counters = watch.counters()
    assert counters.elapsed_s == 2
    assert counters.user_s == pytest.approx(1.5)
    assert (counters.minor_faults, counters.voluntary_switches) == (30, 3)
    assert (counters.on_cpu_s, counters.queued_s) == pytest.approx((1.5, 0.3))
    assert (counters.threads, counters.migrations) == (1, 0)
    assert counters.steal_share == pytest.approx(0.05)
    assert counters.disk_wait_s is None


def test_threads_count_from_their_start_to_their_last_snapshot(proc: Proc) -> None:
    proc.process(7)
    proc.thread(7, 7)
    watch, clock = watch_of(proc)
    with watch:
        watch.start((7,))
        clock.now += 1
        proc.thread(7, 8, voluntary=4, state="S", wchan="futex_do_wait")
        watch.read()
        clock.now += 1
        proc.end_thread(7, 8)
    counters = watch.counters()
    assert counters.threads == 2
    assert counters.voluntary_switches == 4
    assert ("futex_do_wait", counters.waiting_snapshots) in counters.waits_in


def test_child_processes_are_counted(proc: Proc) -> None:
    proc.process(7)
    proc.thread(7, 7, children="9 ")
    proc.process(9, user=300)
    proc.thread(9, 9)
    watch, clock = watch_of(proc, with_children=True)
    with watch:
        watch.start((7,))
        clock.now += 1
    assert watch.counters().user_s == pytest.approx(3.0)
    assert watch.counters().threads == 2


def test_an_unsupported_kernel_counter_is_none(proc: Proc) -> None:
    proc.process(7)
    proc.thread(7, 7)
    (proc.root / "7" / "task" / "7" / "schedstat").unlink()
    (proc.root / "7" / "task" / "7" / "sched").unlink()
    watch, clock = watch_of(proc)
    with watch:
        watch.start((7,))
        clock.now += 1
    counters = watch.counters()
    assert counters.on_cpu_s is None
    assert counters.queued_s is None
    assert counters.migrations is None
    assert counters.involuntary_switches == 0


def test_an_ended_process_has_no_counters(proc: Proc) -> None:
    watch, clock = watch_of(proc)
    with watch:
        watch.start((7,))
        clock.now += 1
    assert watch.counters().threads == 0
    assert watch.counters().on_cpu_s is None
