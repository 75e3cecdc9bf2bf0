"""Threads wait for an answer of another process, or of the network."""

from collections.abc import Iterator

from harness.diagnose.evidence import waited
from harness.diagnose.facts import Facts
from harness.diagnose.result import Finding, FindingPlace
from harness.waits.result import WaitCause

NAMED, UNNAMED = 0.9, 0.6  # confidence with the name of the process, and without


def find(facts: Facts) -> Iterator[Finding]:
    """Yield a finding per process, and one for peers without a name."""
    for cause in facts.causes("process"):
        yield _finding(facts, cause, f"the process {cause.name}", NAMED * cause.confidence)
    for cause in facts.causes("sleep"):
        if is_peer(facts, cause):
            peer = f"the process {cause.name}, which sleeps"
            yield _finding(facts, cause, peer, NAMED * cause.confidence)
    for cause in facts.causes("network"):
        yield _finding(facts, cause, "an answer over the network", UNNAMED)


def is_peer(facts: Facts, cause: WaitCause) -> bool:
    """Return whether the process that was started or named waits for a sleep of another one.

    A request and an answer look alike in the wait-for graph. The other direction may be a server
    that has nothing to do.
    """
    machine = facts.machine
    targets = () if machine is None else machine.header.target_pids
    first = _pids(facts, cause.chain[0].name) if cause.chain else set()
    last = _pids(facts, cause.name)
    return len(targets) == 1 and first == set(targets) and bool(last) and first.isdisjoint(last)


def _pids(facts: Facts, name: str) -> set[int]:
    """Return the processes of the threads that a chain names."""
    group = facts.group_named(name)
    if group is None:
        return set()
    key = (group.process, group.name)
    return {row.pid for row in facts.waits.threads if (row.process, row.group) == key}


def _finding(facts: Facts, cause: WaitCause, peer: str, confidence: float) -> Finding:
    threads = cause.chain[0].name if cause.chain else "a thread"
    where = [FindingPlace(kind="thread", name=threads)]
    if cause.kind in ("process", "sleep"):
        where.append(FindingPlace(kind="process", name=cause.name))
    functions = next(
        (row.functions for row in facts.waits.ended_waits if row.thread == threads), ()
    )
    where += [FindingPlace(kind="function", name=name) for name in functions[:3]]
    return Finding(
        cause="slow-peer",
        sentence=f"{threads} waits for {peer}.",
        cost_share=facts.share(cause.wait_ns),
        largest_gain=facts.largest_gain([cause]),
        confidence=confidence,
        evidence=(waited(facts, f"waits that end at {cause.name}", cause.wait_ns),),
        where=tuple(where),
        try_=(
            "diagnose the peer: stallscope diagnose -p PID-OF-THE-PEER",
            "send several requests before waiting for the first answer",
        ),
        check="stallscope waits RUN --graph shows the chain of waits",
    )
