"""Threads wait for one that sleeps until a time that the program chose."""

from collections.abc import Iterator

from harness.diagnose.evidence import waited
from harness.diagnose.facts import Facts
from harness.diagnose.findings.slow_peer import is_peer
from harness.diagnose.result import Finding, FindingPlace

CONFIDENCE = 0.8


def find(facts: Facts) -> Iterator[Finding]:
    """Yield a finding per thread name."""
    for cause in facts.causes("sleep"):
        if is_peer(facts, cause):
            continue  # another finding
        yield Finding(
            cause="sleep",
            sentence=f"Other threads wait for {cause.name}, which sleeps.",
            cost_share=facts.share(cause.wait_ns),
            largest_gain=facts.largest_gain([cause]),
            confidence=CONFIDENCE,
            evidence=(waited(facts, f"waits that end at a sleep of {cause.name}", cause.wait_ns),),
            where=(FindingPlace(kind="thread", name=cause.name),),
            try_=("replace the sleep by a wait for the event that it waits for",),
            check="stallscope waits RUN --graph shows the function that sleeps",
        )
