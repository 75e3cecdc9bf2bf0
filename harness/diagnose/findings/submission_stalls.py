"""Calls that submit requests without waiting for them wait nevertheless."""

from collections.abc import Iterator

from harness.diagnose.evidence import SWITCHES, waited
from harness.diagnose.facts import Facts, gain_without
from harness.diagnose.result import Finding, FindingPlace

CONFIDENCE = 0.85


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding for waits in submission."""
    disk = facts.disk
    if disk is None or not disk.submission_ns:
        return
    cost = facts.share(disk.submission_ns)
    full = disk.admission_ns >= disk.submission_ns / 2
    why = "until the queue has room" if full else "inside the filesystem"
    yield Finding(
        cause="submission-stalls",
        sentence=f"Calls that submit I/O wait {why}, instead of returning at once.",
        cost_share=cost,
        # The calls use CPU time, and threads are queued after they waited.
        largest_gain=gain_without(
            facts.share(disk.submission_ns + facts.state_ns("system", "run_queue"))
        ),
        confidence=CONFIDENCE,
        evidence=(
            waited(facts, "waits in submission", disk.submission_ns, SWITCHES),
            waited(facts, "of it: until a queue has room", disk.admission_ns, SWITCHES),
        ),
        where=(
            *(FindingPlace(kind="thread", name=name) for name in disk.threads[:1]),
            *(FindingPlace(kind="function", name=name) for name in disk.functions),
        ),
        try_=(
            (
                "keep fewer requests in flight than the queue admits (nr_requests)",
                "raise nr_requests: stallscope io queue DIR shows it and its effect",
            )
            if full
            else (
                "write to blocks that are allocated: fallocate(2) before the writes, no appending",
                "open files and flush from a separate thread, not from the submitting one",
            )
        ),
        check="stallscope io queue DIR --interval 10 counts submissions that wait",
    )
