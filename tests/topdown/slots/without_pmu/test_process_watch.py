"""Kernel counters of processes, read from a synthetic /proc."""

import pytest

from tests.topdown.slots.without_pmu.proc_folder import Proc
from topdown.slots.without_pmu.process_watch import CounterWatch


class Clock:
    """A clock that the test advances."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def watch_of(proc: Proc, *, with_children: bool = False) -> tuple[CounterWatch, Clock]:
    clock = Clock()
    return CounterWatch(proc.root, with_children=with_children, clock=clock), clock


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
