"""Threads could run, and something else has their CPU."""

from collections.abc import Iterator

from harness.diagnose.evidence import waited
from harness.diagnose.facts import Facts, gain_without, larger_gain
from harness.diagnose.findings.blockers import blockers
from harness.diagnose.findings.own_queue import TARGET, explained_share
from harness.diagnose.findings.sleep_states import LEAVING_IDLE
from harness.diagnose.findings.thundering_herd import in_vain_share
from harness.diagnose.result import Finding, FindingPlace
from harness.waits.result import WaitCause

CONFIDENCE = 0.95
MAX_USERS = 3
LEAST_USE = 0.1  # of the time in the queue
RECORDER = "recorder"  # the kind of its processes in the document of waits
SWITCHES = "context switches of the CPUs"


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding, with what used the CPUs; the recorder is not blamed."""
    causes = [cause for cause in facts.causes("cpu") if cause.name != LEAVING_IDLE]
    times = _times(facts, causes)
    if not times:
        return
    own_ns = sum(times.values())
    # Threads that wait for one in the run queue wait for the CPU as well.
    # Many may wait for one, and most of them for work: their waits count once.
    behind_ns = min(own_ns, sum(row.queued_ns for row in blockers(facts, by_lock=False)))
    part = own_ns / sum(cause.wait_ns for cause in causes)
    wait_ns = own_ns + round(behind_ns * part * (1 - in_vain_share(facts)))
    times = {name: round(time_ns * wait_ns / own_ns) for name, time_ns in times.items()}
    cost = facts.share(wait_ns)
    first, *_ = times
    users = ", ".join(f"{name} ({times[name] / wait_ns:.0%})" for name in list(times)[:MAX_USERS])
    yield Finding(
        cause="run-queue",
        sentence=f"Threads that could run wait for a CPU; it is used by {users}.",
        cost_share=cost,
        largest_gain=larger_gain(facts.largest_gain(causes, part), gain_without(cost)),
        confidence=CONFIDENCE,
        evidence=tuple(
            waited(facts, f"CPU used by {name}", times[name], SWITCHES)
            for name in list(times)[:MAX_USERS]
        ),
        where=tuple(
            FindingPlace(kind="thread" if name == TARGET else "process", name=name)
            for name in list(times)[:MAX_USERS]
            if times[name] >= LEAST_USE * wait_ns
        ),
        try_=(
            ("use fewer threads, or more CPUs: the target competes with itself",)
            if times.get(TARGET, 0) > wait_ns / 2
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
            left_ns = round(left_ns * (1 - explained_share(facts)))
        if left_ns > 0:
            times[cause.name] = left_ns
    return dict(sorted(times.items(), key=lambda row: -row[1]))
