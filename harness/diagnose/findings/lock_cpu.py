"""CPU time of locks: the calls that wait and wake, and the queue of threads behind them."""

from harness.diagnose.facts import Facts
from harness.diagnose.findings.blockers import blockers, is_convoy
from harness.diagnose.findings.thundering_herd import in_vain_share

FUTEX = ("futex", "futex_waitv", "sched_yield")


def futex_share(facts: Facts) -> float:
    """Return the share of the CPU time, 0..1, in calls of locks, if threads wait for one.

    With a herd, this time is that of its wake-ups.
    """
    if facts.cpu is None or in_vain_share(facts):
        return 0.0
    if not blockers(facts, by_lock=True) and not any(map(is_convoy, facts.waits.locks)):
        return 0.0
    return min(1.0, sum(time for name, time in facts.cpu.system_calls.calls if name in FUTEX))
