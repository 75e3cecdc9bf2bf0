"""Findings of counters and samples, with a control for each kind of program."""

from dataclasses import replace

import pytest

from tests.topdown.slots.without_pmu.activities import (
    CALLING,
    COMPUTING,
    FAULTING,
    HERD,
    PASSING,
    work,
)
from topdown.slots.without_pmu.facts import facts
from topdown.slots.without_pmu.kernel_findings import find
from topdown.slots.without_pmu.process_watch import KernelCounters
from topdown.slots.without_pmu.sampled_work import SampledWork

LOCKING = replace(
    COMPUTING, threads=4, thread_s=8.0, user_s=1.0, system_s=1.0, on_cpu_s=2.0, queued_s=4.0,
    voluntary_switches=50_000, snapshots=160, waiting_snapshots=40, waits_in=(("futex_do_wait", 40),),
)  # fmt: skip

IDLE = replace(
    COMPUTING, user_s=0.01, on_cpu_s=0.01, queued_s=0.0, snapshots=40, waiting_snapshots=40,
    voluntary_switches=10, waits_in=(("do_epoll_wait", 40),),
)  # fmt: skip


# A pool: one thread computes, three wait for work in a condition variable.
POOL = replace(
    COMPUTING, threads=4, thread_s=8.0, snapshots=160, waiting_snapshots=120, voluntary_switches=6,
    waits_in=(("futex_do_wait", 120),),
)  # fmt: skip


# redis-server under load: a main thread that computes and polls, and idle background threads.
REDIS = replace(
    COMPUTING, threads=6, thread_s=12.0, on_cpu_s=1.5, user_s=1.0, system_s=0.5, snapshots=240,
    waiting_snapshots=205, voluntary_switches=4_000,
    waits_in=(("futex_wait_queue", 200), ("do_epoll_wait", 5)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("counters", "samples", "answer"),
    [
        (FAULTING, work(50, faults=900, calls=50), "kernel: page faults"),
        (CALLING, work(150, calls=850, switching=40), "kernel: system calls"),
        (HERD, work(30, calls=970, switching=850), "kernel: context switches"),
        (PASSING, work(50, calls=950, switching=390), "waiting: sleep"),
        (IDLE, work(9, calls=1), "waiting: sleep"),
        (IDLE, work(0), "waiting: sleep"),
    ],
)
def test_the_dominant_activity_is_found(
    counters: KernelCounters, samples: SampledWork, answer: str
) -> None:
    finding = find(counters, samples)
    assert finding is not None
    assert finding.answer == answer


def test_user_code_gives_no_finding() -> None:
    assert find(COMPUTING, work(1000)) is None


@pytest.mark.parametrize(
    ("counters", "samples"),
    [
        (POOL, work(1000)),
        (REDIS, work(700, calls=300)),
        (replace(LOCKING, queued_s=1.0), work(900, calls=100)),
    ],
)
def test_time_in_futex_is_reported_and_gives_no_finding(
    counters: KernelCounters, samples: SampledWork
) -> None:
    assert find(counters, samples) is None
    texts = dict(facts(counters, samples, None))
    assert texts["finding"].startswith("none")
    assert "in futex: waiting, cause not known" in texts["waiting"]


def test_occupied_cpus_are_found_if_the_program_has_no_finding() -> None:
    busy = replace(COMPUTING, user_s=0.3, on_cpu_s=0.3, queued_s=1.7)
    texts = dict(facts(busy, work(300), find(busy, work(300))))
    assert texts["finding"].startswith("waiting: run queue (threads were ready")
    assert "85%" in texts["finding"]
    texts = dict(facts(COMPUTING, work(1000), find(COMPUTING, work(1000))))
    assert texts["finding"].startswith("none")
    preempted = replace(FAULTING, on_cpu_s=0.5, queued_s=1.5)
    samples = work(50, faults=900, calls=50)
    assert "page faults" in dict(facts(preempted, samples, find(preempted, samples)))["finding"]
    blind = replace(busy, on_cpu_s=None, queued_s=None)
    assert dict(facts(blind, work(300), None))["finding"].startswith("none")


def test_few_page_faults_give_no_finding() -> None:
    assert find(replace(COMPUTING, minor_faults=20_000), work(960, faults=40)) is None
