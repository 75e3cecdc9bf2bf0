"""CPU time goes into system calls that do little each; calls that copy much data are work."""

from collections.abc import Iterator

from harness.diagnose.facts import Facts
from harness.diagnose.findings.kernel_entry import SHOWN_CALLS, KernelRule, kernel_entry_finding
from harness.diagnose.result import Finding

LEAST_SHARE = 0.4  # of the CPU time
CONFIDENCE = 0.8


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding if system calls, without copying, are a large part of the CPU time."""
    if facts.cpu is None or facts.cpu.system_calls.share < LEAST_SHARE:
        return
    calls = facts.cpu.system_calls
    names = ", ".join(f"{name} {share:.0%}" for name, share in calls.calls[:SHOWN_CALLS])
    most = f": {names}" if names else ""
    rule = KernelRule(
        cause="system-call-storm",
        sentence=f"{calls.share:.0%} of the CPU time is spent in system calls{most}.",
        confidence=CONFIDENCE,
        remedies=(
            "do more per call: larger buffers, readv and writev, recvmmsg and sendmmsg, io_uring",
            "leave out calls whose answer is known, such as repeated stat or gettimeofday",
        ),
        check="strace -c -f -p PID counts the calls",
    )
    yield kernel_entry_finding(facts, calls, rule)
