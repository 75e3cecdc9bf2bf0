"""A lock is held for a short time, and threads queue for it: each release costs a switch."""

from collections.abc import Iterator

from harness.diagnose.evidence import SAMPLES, counted, waited
from harness.diagnose.facts import Facts, gain_without
from harness.diagnose.findings.blockers import is_convoy
from harness.diagnose.findings.own_queue import lock_cpu_ns
from harness.diagnose.result import Finding, FindingPlace

CONFIDENCE = 0.8
_SHOWN_CALLERS = 2


def find(facts: Facts) -> Iterator[Finding]:
    """Yield a finding per lock."""
    calls_ns = lock_cpu_ns(facts)
    for lock in facts.waits.locks:
        if not is_convoy(lock):
            continue
        holds = sum(hold.holds for hold in lock.holds)
        held_ns = sum(hold.mean_ns * hold.holds for hold in lock.holds) / holds if holds else 0.0
        cost = facts.share(lock.wait_ns + calls_ns)
        yield Finding(
            cause="lock-convoy",
            sentence=(
                f"Threads queue for the {lock.kind} {lock.address}, which is released every "
                f"{held_ns / 1000:.0f} us: most of their time is the hand-over."
            ),
            cost_share=cost,
            largest_gain=gain_without(cost),
            confidence=CONFIDENCE,
            evidence=(
                waited(facts, f"waits for the {lock.kind}", lock.wait_ns, "futex calls"),
                counted("threads that wait there", lock.waiters, "threads", "futex calls"),
                counted("mean time between releases", held_ns, "ns", "futex calls"),
                waited(facts, "calls of locks, and the queue behind them", calls_ns, SAMPLES),
            ),
            where=(
                FindingPlace(kind="lock", name=lock.address),
                *(
                    FindingPlace(kind="function", name=caller.function)
                    for caller in lock.callers[:_SHOWN_CALLERS]
                ),
            ),
            try_=(
                "do more under one acquisition: batch the short critical sections",
                "divide what the lock protects, or use a lock that lets a running thread take it",
            ),
            check="stallscope waits RUN lists the waits for the lock",
        )
