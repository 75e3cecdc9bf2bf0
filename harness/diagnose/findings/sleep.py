"""Threads wait for one that sleeps until a time that the program chose."""

from collections.abc import Iterator

from harness.diagnose.facts import Facts
from harness.diagnose.result import Finding, FindingEvidence, FindingPlace

CONFIDENCE = 0.8


def find(facts: Facts) -> Iterator[Finding]:
    """Yield a finding per thread name."""
    for cause in facts.causes("sleep"):
        yield Finding(
            cause="sleep",
            sentence=f"Other threads wait for {cause.name}, which sleeps.",
            cost_share=facts.share(cause.wait_ns),
            largest_gain=facts.largest_gain([cause]),
            confidence=CONFIDENCE,
            evidence=(
                FindingEvidence(
                    name=f"waits that end at a sleep of {cause.name}",
                    value=cause.wait_ns,
                    unit="ns",
                    source="wait-for graph",
                ),
            ),
            where=(FindingPlace(kind="thread", name=cause.name),),
            try_=("replace the sleep by a wait for the event that it waits for",),
            check="stallscope waits RUN --graph shows the function that sleeps",
        )
