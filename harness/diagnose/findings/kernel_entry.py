"""The common parts of findings about CPU time in the kernel."""

from dataclasses import dataclass

from harness.diagnose.cpu_functions import KernelTime
from harness.diagnose.evidence import largest_gain_of_samples, sampled
from harness.diagnose.facts import Facts
from harness.diagnose.result import Finding, FindingEvidence, FindingPlace

SHOWN_CALLS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelRule:
    """The fields of a finding that differ between the ways into the kernel.

    ``more_share``: further CPU time, 0..1, that may go with it.
    """

    cause: str
    sentence: str
    confidence: float
    remedies: tuple[str, ...]
    check: str
    evidence: tuple[FindingEvidence, ...] = ()
    more_share: float = 0.0


def kernel_entry_finding(facts: Facts, time: KernelTime, rule: KernelRule) -> Finding:
    """Return the finding of CPU time by one way into the kernel."""
    cost = facts.share(time.share * facts.running_ns)
    names = (*time.calls[:SHOWN_CALLS], *((f"below {name}", share) for name, share in time.callers))
    return Finding(
        cost_share=cost,
        largest_gain=largest_gain_of_samples(facts, min(1.0, time.share + rule.more_share)),
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
