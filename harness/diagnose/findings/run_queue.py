"""Threads could run, and something else has their CPU."""

from collections.abc import Iterator

from harness.diagnose.evidence import waited
from harness.diagnose.facts import Facts, gain_without, larger_gain
from harness.diagnose.findings.blockers import blockers
from harness.diagnose.findings.own_queue import (
    LEAVING_IDLE,
    TARGET,
    beside_idle_share,
    explained_share,
)
from harness.diagnose.result import Finding, FindingPlace
from harness.waits.result import WaitCause

CONFIDENCE = 0.95
MAX_USERS = 3
LEAST_USE = 0.1  # of the time in the queue
RECORDER = "recorder"  # the kind of its processes in the document of waits
SWITCHES = "context switches of the CPUs"


def find(facts: Facts) -> Iterator[Finding]:
    """Yield a finding for threads of the target, and one for others; the recorder is not blamed."""
    causes = [cause for cause in facts.causes("cpu") if cause.name != LEAVING_IDLE]
    times = _times(facts, causes)
    if not times:
        return
    queued_ns = sum(times.values())
    # Threads that wait for one in the run queue wait for the CPU as well.
    # Many may wait for one, and most of them for work: their waits count once.
    behind_ns = min(queued_ns, sum(row.queued_ns for row in blockers(facts, by_lock=False)))
    part = queued_ns / sum(cause.wait_ns for cause in causes)
    behind_ns = round(behind_ns * part * (1 - explained_share(facts)))
    times = {name: round(ns * (1 + behind_ns / queued_ns)) for name, ns in times.items()}
    gain = facts.queue_gain(behind_ns)
    own_ns = times.pop(TARGET, 0)
    if own_ns:
        yield _finding(facts, {TARGET: own_ns}, gain)
    if times:
        yield _finding(facts, times, gain)


def _finding(facts: Facts, times: dict[str, int], gain: float | None) -> Finding:
    """Return the finding of threads of the target, or of other users of the CPUs."""
    wait_ns = sum(times.values())
    first, *_ = times
    users = ", ".join(f"{name} ({times[name] / wait_ns:.0%})" for name in list(times)[:MAX_USERS])
    is_own = first == TARGET
    return Finding(
        cause="run-queue",
        sentence=(
            "The target has more threads that can run than CPUs: they wait for each other's CPU."
            if is_own
            else f"Threads that could run wait for a CPU; it is used by {users}."
        ),
        cost_share=facts.share(wait_ns),
        largest_gain=larger_gain(gain, gain_without(facts.share(wait_ns))),
        confidence=CONFIDENCE,
        evidence=tuple(
            waited(facts, f"CPU used by {name}", times[name], SWITCHES)
            for name in list(times)[:MAX_USERS]
        ),
        where=tuple(
            FindingPlace(kind="thread" if is_own else "process", name=name)
            for name in list(times)[:MAX_USERS]
            if times[name] >= LEAST_USE * wait_ns
        ),
        try_=(
            ("use fewer threads, or more CPUs: the target competes with itself",)
            if is_own
            else (f"move {first} to other CPUs (taskset, cpuset), or lower its priority (nice)",)
        ),
        check="stallscope waits RUN lists what ran while threads were runnable",
    )


def _times(facts: Facts, causes: list[WaitCause]) -> dict[str, int]:
    """Return the time by what used the CPU, the largest first, without stallscope's own time."""
    machine = facts.machine
    own_pid = None if machine is None else machine.header.recorder_pid
    own = {
        user.name: user.time_ns
        for user in facts.waits.run_queue
        if user.kind == RECORDER or (user.pid is not None and user.pid == own_pid)
    }
    times: dict[str, int] = {}
    for cause in causes:
        name = cause.name.partition(" in /")[0]
        left_ns = cause.wait_ns - own.pop(name, 0)
        if cause.name == TARGET:
            left_ns = round(left_ns * (1 - explained_share(facts)) * (1 - beside_idle_share(facts)))
        if left_ns > 0:
            times[cause.name] = left_ns
    return dict(sorted(times.items(), key=lambda row: -row[1]))
