"""The common parts of findings about CPU time in the kernel."""

from dataclasses import dataclass

from harness.diagnose.cpu_functions import KernelTime
from harness.diagnose.facts import LARGEST_LOSS, Facts
from harness.diagnose.result import Finding, FindingEvidence, FindingPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelRule:
    """The fields of a finding that differ between the ways into the kernel."""

    cause: str
    sentence: str
    confidence: float
    remedies: tuple[str, ...]
    check: str


def kernel_entry_finding(facts: Facts, time: KernelTime, rule: KernelRule) -> Finding:
    """Return the finding of CPU time by one way into the kernel."""
    cost = facts.share(time.share * facts.running_ns)
    names = (*time.calls, *((f"below {name}", share) for name, share in time.callers))
    return Finding(
        cost_share=cost,
        largest_gain=1 / (1 - cost) if cost < LARGEST_LOSS else None,
        evidence=(
            FindingEvidence(
                name="share of CPU time", value=time.share, unit="share", source="CPU samples"
            ),
            *(
                FindingEvidence(name=name, value=share, unit="share", source="CPU samples")
                for name, share in names
            ),
        ),
        where=tuple(FindingPlace(kind="function", name=name) for name, _ in time.callers),
        cause=rule.cause,
        sentence=rule.sentence,
        confidence=rule.confidence,
        try_=rule.remedies,
        check=rule.check,
    )
