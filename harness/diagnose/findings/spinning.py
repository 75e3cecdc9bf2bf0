"""Threads spin in user space for a lock: CPU time without progress."""

from collections.abc import Iterator

from harness.diagnose.evidence import SAMPLES, counted, sampled
from harness.diagnose.facts import Facts, gain_without
from harness.diagnose.result import Finding, FindingPlace

CONFIDENCE = 0.8


def find(facts: Facts) -> Iterator[Finding]:
    """Yield a finding per function that spins."""
    for row in facts.waits.spinning:
        yield Finding(
            cause="spinning",
            sentence=f"{row.threads} threads spin in {row.function} instead of sleeping.",
            cost_share=facts.share(row.cpu_ns),
            largest_gain=gain_without(facts.share(row.cpu_ns)),
            confidence=CONFIDENCE,
            evidence=(
                sampled(facts, f"CPU time in {row.function}", row.share),
                counted("threads that spin", row.threads, "threads", SAMPLES),
            ),
            where=(FindingPlace(kind="function", name=row.function),),
            try_=(
                "use a mutex that sleeps after a short time of spinning",
                "use at most as many threads as CPUs, so that the holder is not preempted",
            ),
            check=f"the share of {row.function} in stallscope report RUN --weight cpu",
        )
