"""A wake-up wakes many threads, of which one finds work and the others sleep again."""

from collections.abc import Iterator

from harness.diagnose.evidence import counted, sampled, waited
from harness.diagnose.facts import Facts, gain_without
from harness.diagnose.result import Finding, FindingPlace
from harness.waits.result import LockWaits

CONFIDENCE = 0.8
SIGN = "thundering herd"
FUTEX = "futex"
_SHOWN_CALLERS = 2


def herds(facts: Facts) -> list[LockWaits]:
    """Return the locks and conditions whose wake-ups wake threads in vain."""
    return [lock for lock in facts.waits.locks if any(s.startswith(SIGN) for s in lock.signs)]


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding for all of them; the cost is the time of threads that woke in vain."""
    locks = herds(facts)
    if not locks:
        return
    first = max(locks, key=lambda lock: lock.wait_ns)
    woken = first.woken_per_wake_up or 1.0
    in_vain = 1 - 1 / max(1.0, woken)
    calls = facts.cpu.system_calls if facts.cpu is not None else None
    futex = min(1.0, sum(share for name, share in calls.calls if name == FUTEX)) if calls else 0.0
    queued_ns = in_vain * facts.state_ns("run_queue")
    cost = facts.share(in_vain * futex * facts.running_ns + queued_ns)
    yield Finding(
        cause="thundering-herd",
        sentence=(
            f"One wake-up wakes {woken:.1f} threads on average at the {first.kind} "
            f"{first.address}, and only one of them can go on."
        ),
        cost_share=cost,
        largest_gain=gain_without(cost),
        confidence=CONFIDENCE,
        evidence=(
            counted("threads woken by a wake-up", woken, "threads", "wake-ups"),
            counted("threads that wait there", first.waiters, "threads", "futex calls"),
            sampled(facts, "CPU time in futex", futex),
            waited(facts, "time in the run queue of woken threads", queued_ns, "context switches"),
        ),
        where=(
            FindingPlace(kind="lock", name=first.address),
            *(
                FindingPlace(kind="function", name=caller.function)
                for caller in first.callers[:_SHOWN_CALLERS]
            ),
        ),
        try_=(
            "wake one thread: notify_one, pthread_cond_signal, EPOLLEXCLUSIVE",
            "give the woken threads different work: a queue per thread",
        ),
        check="the voluntary switches in /proc/PID/status grow more slowly for the same work",
    )
