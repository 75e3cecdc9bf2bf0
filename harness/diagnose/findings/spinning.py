"""Threads spin in user space for a lock: CPU time without progress."""

from collections.abc import Iterator

from harness.diagnose.evidence import SAMPLES, counted, largest_gain_of_samples, sampled, waited
from harness.diagnose.facts import Facts, gain_without, larger_gain
from harness.diagnose.findings.own_queue import own_queue_ns
from harness.diagnose.result import Finding, FindingPlace
from harness.diagnose.spins import Spin

CONFIDENCE = 0.8


def find(facts: Facts) -> Iterator[Finding]:
    """Yield a finding per function that spins."""
    for row in _rows(facts):
        queue_ns = row.share * own_queue_ns(facts)
        cost = facts.share(row.share * facts.running_ns + queue_ns)
        yield Finding(
            cause="spinning",
            sentence=f"{row.threads} threads spin in {row.function} instead of sleeping.",
            cost_share=cost,
            largest_gain=larger_gain(gain_without(cost), largest_gain_of_samples(facts, row.share)),
            confidence=CONFIDENCE,
            evidence=(
                sampled(facts, f"CPU time in {row.function}", row.share),
                counted("threads that spin", row.threads, "threads", SAMPLES),
                waited(facts, "time in the run queue behind them", queue_ns, "context switches"),
            ),
            where=(FindingPlace(kind="function", name=row.function),),
            try_=(
                "use a mutex that sleeps after a short time of spinning",
                "use at most as many threads as CPUs, so that the holder is not preempted",
            ),
            check=f"the share of {row.function} in stallscope report RUN --weight cpu",
        )


def _rows(facts: Facts) -> Iterator[Spin]:
    """Yield the functions that spin, by their instructions or else by their names."""
    yield from facts.spins
    known = {row.function for row in facts.spins}
    for row in facts.waits.spinning:
        if row.function not in known:
            yield Spin(row.function, row.share, row.threads)
