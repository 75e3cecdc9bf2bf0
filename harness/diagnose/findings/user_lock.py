"""Threads wait for a lock while its owner computes, or waits for a CPU."""

from collections.abc import Iterator

from harness.diagnose.evidence import SAMPLES, waited
from harness.diagnose.facts import Facts, gain_without, larger_gain
from harness.diagnose.findings.blockers import Blocker, blockers, is_convoy
from harness.diagnose.findings.collector_threads import collector_groups
from harness.diagnose.findings.own_queue import lock_cpu_ns
from harness.diagnose.result import Finding, FindingPlace
from harness.waits.result import LockWaits

WITHOUT_OWNER = 0.6  # confidence if the owner follows from wake-ups alone
_SHOWN_FUNCTIONS = 3
_UNNAMED = ("__vdso_clock_gettime", "__clock_gettime")


def find(facts: Facts) -> Iterator[Finding]:
    """Yield a finding per owner; the first one also has the CPU time in calls of locks."""
    calls_ns = 0.0 if any(map(is_convoy, facts.waits.locks)) else lock_cpu_ns(facts)
    collectors = collector_groups(facts)
    for blocker in blockers(facts, by_lock=True):
        lock = _lock_of(facts, blocker.name)
        if blocker.name.rpartition("/")[2] in collectors:
            continue  # another finding
        if lock is None or not is_convoy(lock):
            yield _finding(facts, blocker, lock, calls_ns)
            calls_ns = 0.0


def _finding(facts: Facts, blocker: Blocker, lock: LockWaits | None, calls_ns: float) -> Finding:
    share = facts.share(blocker.wait_ns + calls_ns)
    evidence = [waited(facts, f"waits that end at {blocker.name}", blocker.wait_ns)]
    if blocker.queued_ns:
        evidence.append(waited(facts, f"of it: {blocker.name} waited for a CPU", blocker.queued_ns))
    if calls_ns:
        evidence.append(
            waited(facts, "calls of locks, and the queue for a CPU behind them", calls_ns, SAMPLES)
        )
    where = [FindingPlace(kind="thread", name=blocker.name)]
    confidence, what = WITHOUT_OWNER, "a lock"
    if lock is not None and lock.owner is not None:
        confidence = 0.5 + 0.5 * (lock.owner.share or 0.0)
        what = f"the {lock.kind} {lock.address}"
        evidence.append(waited(facts, f"waits for {what}", lock.wait_ns, "futex calls"))
        functions = [name for name in lock.owner.stack if name not in _UNNAMED]
        where.append(FindingPlace(kind="lock", name=lock.address))
        where += [FindingPlace(kind="function", name=name) for name in functions[:_SHOWN_FUNCTIONS]]
    signs = () if lock is None else lock.signs
    sign = f" ({signs[0]})" if signs else ""
    return Finding(
        cause="user-lock",
        sentence=f"Threads wait for {what} that {blocker.name} holds{sign}.",
        cost_share=share,
        largest_gain=larger_gain(_largest_gain(facts, blocker), gain_without(share)),
        confidence=confidence,
        evidence=tuple(evidence),
        where=tuple(where),
        try_=(
            "do less under the lock: move computing and I/O out of the section it protects",
            "divide what the lock protects, so that threads need different locks",
        ),
        check="stallscope waits RUN --graph shows the chain; record again after the change",
    )


def _largest_gain(facts: Facts, blocker: Blocker) -> float | None:
    """Return the gain if nothing is done under the lock.

    What the owner runs may be needless, and so may the kernel's time of the calls of locks. Of
    threads that are owners in turn, one at a time runs under the lock, also while none waits. Waits
    for locks whose end was not recorded may be for this one.
    """
    group, _ = facts.sufferer(blocker.causes)
    run_ns = 0.0
    more_ns = 0 if group is None else facts.unexplained_ns(group, "lock")
    if group is not None and group == facts.group_named(blocker.name) and blocker.wait_ns:
        runs = 1 - blocker.queued_ns / blocker.wait_ns
        run_ns = runs * group.wall_ns / max(1, group.threads)
    return facts.largest_gain(blocker.causes, with_system=True, run_ns=run_ns, more_ns=more_ns)


def _lock_of(facts: Facts, owner: str) -> LockWaits | None:
    """Return the lock with the longest waits for an owner with this name."""
    named = [lock for lock in facts.waits.locks if lock.owner is not None]
    return next((lock for lock in named if lock.owner and lock.owner.name == owner), None)
