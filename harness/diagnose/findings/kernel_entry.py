"""The common parts of findings about CPU time in the kernel."""

from dataclasses import dataclass

from harness.diagnose.evidence import largest_gain_of_samples, largest_gain_of_thread, sampled
from harness.diagnose.facts import Facts, larger_gain
from harness.diagnose.kernel_ways import KernelTime
from harness.diagnose.result import Finding, FindingEvidence, FindingPlace

SHOWN_CALLS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelRule:
    """The fields of a finding that differ between the ways into the kernel."""

    cause: str
    sentence: str
    confidence: float
    remedies: tuple[str, ...]
    check: str
    evidence: tuple[FindingEvidence, ...] = ()


def kernel_entry_finding(facts: Facts, time: KernelTime, rule: KernelRule) -> Finding:
    """Return the finding of CPU time by one way into the kernel."""
    cost = facts.share(time.share * facts.running_ns)
    names = (*time.calls[:SHOWN_CALLS], *((f"below {name}", share) for name, share in time.callers))
    return Finding(
        cost_share=cost,
        largest_gain=larger_gain(
            largest_gain_of_samples(facts, time.share), largest_gain_of_thread(time.removable)
        ),
        evidence=(
            sampled(facts, "share of CPU time", time.share),
            *(sampled(facts, name, share) for name, share in names),
            *rule.evidence,
        ),
        where=tuple(FindingPlace(kind="function", name=name) for name, _ in time.callers),
        cause=rule.cause,
        sentence=rule.sentence,
        confidence=rule.confidence,
        try_=rule.remedies,
        check=rule.check,
    )
