"""CPU time goes into page faults: memory that is new, or was given back and is used again."""

from collections.abc import Iterator
from dataclasses import replace

from harness.diagnose.evidence import counted
from harness.diagnose.facts import Facts
from harness.diagnose.findings.kernel_entry import KernelRule, kernel_entry_finding
from harness.diagnose.result import Finding, FindingEvidence

CONFIDENCE = 0.9


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding if CPU samples were taken."""
    if facts.cpu is None:
        return
    faults = facts.cpu.page_faults
    # Those for which pages are read belong to paging.
    faults = replace(faults, share=faults.share * (1 - facts.major_share))
    by = f", most of it in {faults.callers[0][0]}" if faults.callers else ""
    rule = KernelRule(
        cause="page-faults",
        sentence=f"{faults.share:.0%} of the CPU time is spent in page faults{by}.",
        confidence=CONFIDENCE,
        remedies=(
            "keep memory instead of giving it back (malloc: M_TRIM_THRESHOLD, M_MMAP_THRESHOLD)",
            "use huge pages for large memory: madvise(MADV_HUGEPAGE)",
        ),
        check="the minor faults in /proc/PID/stat grow more slowly",
        evidence=tuple(_counted(facts)),
    )
    yield kernel_entry_finding(facts, faults, rule)


def _counted(facts: Facts) -> Iterator[FindingEvidence]:
    machine = facts.machine
    if machine is not None and machine.minor_faults is not None:
        yield counted(
            "minor faults of the target", machine.minor_faults, "faults", "/proc/PID/stat"
        )
