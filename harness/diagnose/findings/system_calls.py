"""CPU time goes into system calls that do little each; calls that copy much data are work."""

from collections.abc import Iterator

from harness.diagnose.facts import Facts
from harness.diagnose.findings.disk_calls import waits_for_disk, without_disk_calls
from harness.diagnose.findings.kernel_entry import SHOWN_CALLS, KernelRule, kernel_entry_finding
from harness.diagnose.kernel_ways import KernelTime
from harness.diagnose.result import Finding

LEAST_SHARE = 0.4  # of the CPU time
CONFIDENCE = 0.8
# Their time belongs to findings about locks and about threads that spin.
_LOCKS = ("futex", "futex_waitv", "sched_yield")


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding if system calls, without copying, are a large part of the CPU time."""
    if facts.cpu is None:
        return
    calls = _without_locks(facts.cpu.system_calls)
    if waits_for_disk(facts):
        calls = without_disk_calls(facts, calls)
    if calls.share < LEAST_SHARE:
        return
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


def _without_locks(time: KernelTime) -> KernelTime:
    locks = sum(share for name, share in time.calls if name in _LOCKS)
    calls = tuple(row for row in time.calls if row[0] not in _LOCKS)
    return KernelTime(max(0.0, time.share - locks), calls, time.callers, time.removable)
