"""The hypervisor takes the CPU."""

from collections.abc import Iterator

from harness.diagnose.evidence import counted, waited
from harness.diagnose.facts import Facts
from harness.diagnose.result import Finding, FindingEvidence, FindingPlace

CONFIDENCE = 0.9


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding for stolen time."""
    causes = facts.causes("steal")
    if not causes:
        return
    wait_ns = sum(cause.wait_ns for cause in causes)
    yield Finding(
        cause="steal",
        sentence="The hypervisor gives the CPU to other guests while threads could run.",
        cost_share=facts.share(wait_ns),
        largest_gain=facts.largest_gain(causes),
        confidence=CONFIDENCE,
        evidence=(
            waited(facts, "stolen time", wait_ns, "steal time of the CPUs"),
            *_counted(facts),
        ),
        where=(FindingPlace(kind="machine", name="hypervisor"),),
        try_=("ask for dedicated CPUs, or use another host or machine type",),
        check="the column st of vmstat 1",
    )


def _counted(facts: Facts) -> Iterator[FindingEvidence]:
    machine = facts.machine
    if machine is not None and machine.steal_share is not None:
        yield counted("stolen time of all CPUs", machine.steal_share, "share", "/proc/stat")
