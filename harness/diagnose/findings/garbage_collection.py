"""CPU time goes into the garbage collection of a runtime."""

from collections.abc import Iterator

from harness.diagnose.evidence import sampled
from harness.diagnose.facts import Facts, gain_without
from harness.diagnose.result import Finding, FindingPlace

CERTAIN, UNCERTAIN = 0.9, 0.6


def find(facts: Facts) -> Iterator[Finding]:
    """Yield a finding per process and collector."""
    for row in facts.cpu.collections if facts.cpu is not None else ():
        cost = facts.share(row.share * facts.running_ns)
        collector = " ".join(part for part in (row.runtime, row.collector) if part)
        phase = f", most of it {row.phase}" if row.phase else ""
        yield Finding(
            cause="garbage-collection",
            sentence=(
                f"{row.process_share:.0%} of the CPU time of {row.process_name} is garbage "
                f"collection ({collector}{phase})."
            ),
            cost_share=cost,
            largest_gain=gain_without(cost),
            confidence=CERTAIN if row.certain else UNCERTAIN,
            evidence=(
                sampled(
                    facts,
                    "share of CPU time",
                    row.share,
                    "CPU samples: threads and functions of the collector",
                ),
            ),
            where=(FindingPlace(kind="process", name=f"{row.process_name} ({row.pid})"),),
            try_=(
                "allocate less: stallscope flame RUN shows the functions above the collector",
                "give the runtime a larger heap, so that it collects less often",
            ),
            check="the runtime's own log of collections (-Xlog:gc, --trace-gc, GODEBUG=gctrace=1)",
        )
