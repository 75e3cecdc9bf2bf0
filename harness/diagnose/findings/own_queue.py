"""Time in the run queue that another finding explains: threads woken in vain, or that spin."""

from harness.diagnose.facts import Facts
from harness.diagnose.findings.lock_cpu import futex_share
from harness.diagnose.findings.thundering_herd import in_vain_share

TARGET = "threads of the target"


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
    """Return the share of the CPU time, 0..1, in which runtimes collect garbage."""
    collections = facts.cpu.collections if facts.cpu is not None else ()
    return min(1.0, sum(row.share for row in collections))


def lock_cpu_ns(facts: Facts) -> float:
    """Return the CPU time in calls of locks, with the time in the queue behind it."""
    return futex_share(facts) * (facts.running_ns + own_queue_ns(facts))


def own_queue_ns(facts: Facts) -> int:
    """Return the time in the run queue behind other threads of the target."""
    return sum(cause.wait_ns for cause in facts.causes("cpu") if cause.name == TARGET)
