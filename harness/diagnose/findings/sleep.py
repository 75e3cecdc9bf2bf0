"""Threads wait for a lock whose owner sleeps until a time that the program chose.

A thread that waits for work or a message of one that sleeps may just have nothing to do; it is no
evidence of a fault.
"""

from collections.abc import Iterator

from harness.diagnose.evidence import waited
from harness.diagnose.facts import Facts
from harness.diagnose.findings.blockers import waits_for_locks
from harness.diagnose.result import Finding, FindingPlace

CONFIDENCE = 0.8


def find(facts: Facts) -> Iterator[Finding]:
    """Yield a finding per thread name."""
    for cause in facts.causes("sleep"):
        if not cause.chain or not waits_for_locks(facts, cause):
            continue
        yield Finding(
            cause="sleep",
            sentence=f"Other threads wait for a lock of {cause.name}, which sleeps.",
            cost_share=facts.share(cause.wait_ns),
            largest_gain=facts.largest_gain([cause]),
            confidence=CONFIDENCE,
            evidence=(waited(facts, f"waits that end at a sleep of {cause.name}", cause.wait_ns),),
            where=(FindingPlace(kind="thread", name=cause.name),),
            try_=("do not sleep under a lock: release it first, or wait for the event instead",),
            check="stallscope waits RUN --graph shows the function that sleeps",
        )
