"""Time in the run queue that another finding explains: threads woken in vain, or that spin."""

from harness.diagnose.facts import Facts
from harness.diagnose.findings.blockers import waits_for_locks
from harness.diagnose.findings.lock_cpu import futex_share
from harness.diagnose.findings.thundering_herd import in_vain_share
from harness.waits.result import WaitCause

TARGET = "threads of the target"
# The name of this cause in the document of waits (topdown/waits/cpu_causes.py).
LEAVING_IDLE = "a CPU on its way out of idle"


def spinning_share(facts: Facts) -> float:
    """Return the share of the CPU time, 0..1, in which threads spin."""
    named = sum(row.share for row in facts.waits.spinning)
    return min(1.0, max(named, sum(row.share for row in facts.spins)))


def explained_share(facts: Facts) -> float:
    """Return the part, 0..1, of the queue behind threads of the target with another cause."""
    return max(
        in_vain_share(facts), spinning_share(facts), futex_share(facts), collection_share(facts)
    )


def collection_share(facts: Facts) -> float:
    """Return the part, 0..1, of the queue that is due to garbage collection.

    It is the share of the CPU time in which runtimes collect, or that of threads that only collect
    in the queue, if that is larger: a runtime has many of them.
    """
    if facts.cpu is None or not facts.cpu.collections:
        return 0.0
    collecting = sum(row.share for row in facts.cpu.collections)
    queued = {thread.tid: thread.states_ns["run_queue"] for thread in facts.waits.threads}
    of_collectors = sum(queued.get(tid, 0) for tid in facts.cpu.collector_threads)
    return min(1.0, max(collecting, of_collectors / max(1, sum(queued.values()))))


def beside_idle_share(facts: Facts) -> float:
    """Return the part, 0..1, of the queue behind own threads in which another CPU was idle.

    The kernel keeps threads that wake each other on one CPU; more CPUs would not shorten that. Only
    of a target that may run on all CPUs.
    """
    machine = facts.machine
    if machine is None or machine.fewest_cpus is None:
        return 0.0
    if machine.fewest_cpus < machine.header.cpus:
        return 0.0
    rows = [user for user in facts.waits.run_queue if user.kind == "target"]
    queued_ns = sum(user.time_ns for user in rows)
    return sum(user.beside_idle_ns for user in rows) / queued_ns if queued_ns else 0.0


def lock_cpu_ns(facts: Facts) -> float:
    """Return the CPU time in calls of locks, with the time in the queue behind it.

    And that until an idle CPU runs a thread that waited for a lock.
    """
    woken_ns = sum(cause.wait_ns for cause in idle_causes(facts, by_lock=True))
    return futex_share(facts) * (facts.running_ns + own_queue_ns(facts)) + woken_ns


def idle_causes(facts: Facts, *, by_lock: bool) -> list[WaitCause]:
    """Return the waits for CPUs on their way out of idle, of threads that wait for locks or not."""
    return [
        cause
        for cause in facts.causes("cpu")
        if cause.name == LEAVING_IDLE and waits_for_locks(facts, cause) == by_lock
    ]


def own_queue_ns(facts: Facts) -> int:
    """Return the time in the run queue behind other threads of the target."""
    return sum(cause.wait_ns for cause in facts.causes("cpu") if cause.name == TARGET)
