"""A wake-up wakes many threads, of which one finds work and the others sleep again."""

from collections.abc import Iterator

from harness.diagnose.evidence import counted, sampled, waited
from harness.diagnose.facts import Facts, gain_without
from harness.diagnose.result import Finding, FindingPlace
from harness.waits.result import LockWaits

KNOWN, UNKNOWN = 0.8, 0.65  # confidence: of a condition, of a futex of an unknown kind
BROADCAST = ("condition", "rust-condition", "futex")
SIGN = "thundering herd"
FUTEX = "futex"
_SHOWN_CALLERS = 2


def herd(facts: Facts) -> LockWaits | None:
    """Return the object whose wake-ups wake threads in vain that has the longest waits.

    A mutex wakes one thread per release: threads that find it taken again are a convoy.
    """
    rows = [
        lock
        for lock in facts.waits.locks
        if lock.kind in BROADCAST and any(sign.startswith(SIGN) for sign in lock.signs)
    ]
    return max(rows, key=lambda lock: lock.wait_ns, default=None)


def in_vain_share(facts: Facts) -> float:
    """Return the share of woken threads, 0..1, that cannot go on."""
    lock = herd(facts)
    woken = 1.0 if lock is None else lock.woken_per_wake_up or 1.0
    return 1 - 1 / max(1.0, woken)


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding; the cost is the time of threads that woke in vain."""
    first = herd(facts)
    if first is None:
        return
    woken, in_vain = first.woken_per_wake_up or 1.0, in_vain_share(facts)
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
        largest_gain=gain_without(
            max(cost, in_vain * _share_of_waits(facts, first) * _share_of_wake_ups(facts, first))
        ),
        confidence=UNKNOWN if first.kind == "futex" else KNOWN,
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


def _share_of_waits(facts: Facts, lock: LockWaits) -> float:
    """Return the share of the herd's waits, 0..1, in those for all locks: the others remain."""
    waits = sum(row.waits for row in facts.waits.locks)
    return lock.waits / waits if waits else 1.0


def _share_of_wake_ups(facts: Facts, lock: LockWaits) -> float:
    """Return the largest share of the running time, 0..1, that wake-ups may take.

    The kernel's, and that of the functions that wait. Threads that wait for an item wait for the
    wake-ups of the others: all of them gain.
    """
    kernel = facts.state_ns("system") / facts.running_ns if facts.running_ns else 0.0
    waiting = {caller.function for caller in lock.callers}
    hottest = facts.cpu.hottest if facts.cpu is not None else ()
    return min(1.0, kernel + sum(share for function, share in hottest if function.name in waiting))
