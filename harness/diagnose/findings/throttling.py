"""A cgroup's CPU quota stops threads that could run."""

from collections.abc import Iterator

from harness.diagnose.evidence import counted, waited
from harness.diagnose.facts import Facts
from harness.diagnose.result import Finding, FindingEvidence, FindingPlace

CONFIDENCE = 0.95


def find(facts: Facts) -> Iterator[Finding]:
    """Yield a finding per cgroup."""
    for cause in facts.causes("throttle"):
        yield Finding(
            cause="cgroup-throttling",
            sentence=f"The CPU quota of the cgroup {cause.name} stops its threads.",
            cost_share=facts.share(cause.wait_ns),
            largest_gain=facts.largest_gain([cause]),
            confidence=CONFIDENCE,
            evidence=(
                waited(facts, "throttled time", cause.wait_ns, "context switches and cpu.stat"),
                *_periods(facts),
            ),
            where=(FindingPlace(kind="cgroup", name=cause.name),),
            try_=(
                "raise the quota (cpu.max; in Kubernetes the CPU limit), or use fewer threads",
                "if the load comes in bursts, allow them: cpu.max.burst",
            ),
            check="throttled_usec in the cgroup's cpu.stat stops growing",
        )


def _periods(facts: Facts) -> Iterator[FindingEvidence]:
    if facts.machine is not None and facts.machine.throttled is not None:
        periods, throttled = facts.machine.throttled
        yield counted("periods of the quota", periods, "periods", "cpu.stat of the cgroup")
        yield counted("of them throttled", throttled, "periods", "cpu.stat of the cgroup")
