"""Threads could run, and something else has their CPU."""

from collections.abc import Iterator

from harness.diagnose.evidence import waited
from harness.diagnose.facts import Facts
from harness.diagnose.findings.sleep_states import LEAVING_IDLE
from harness.diagnose.result import Finding, FindingPlace

CONFIDENCE = 0.95
MAX_USERS = 3
TARGET = "threads of the target"


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding, with what used the CPUs."""
    causes = [cause for cause in facts.causes("cpu") if cause.name != LEAVING_IDLE]
    if not causes:
        return
    wait_ns = sum(cause.wait_ns for cause in causes)
    by = causes[0].name
    users = ", ".join(f"{row.name} ({row.wait_ns / wait_ns:.0%})" for row in causes[:MAX_USERS])
    own = sum(cause.wait_ns for cause in causes if cause.name == TARGET)
    yield Finding(
        cause="run-queue",
        sentence=f"Threads that could run wait for a CPU; it is used by {users}.",
        cost_share=facts.share(wait_ns),
        largest_gain=facts.largest_gain(causes),
        confidence=CONFIDENCE,
        evidence=tuple(
            waited(
                facts, f"CPU used by {cause.name}", cause.wait_ns, "context switches of the CPUs"
            )
            for cause in causes[:MAX_USERS]
        ),
        where=tuple(FindingPlace(kind="process", name=cause.name) for cause in causes[:MAX_USERS]),
        try_=(
            ("use fewer threads, or more CPUs: the target competes with itself",)
            if own > wait_ns / 2
            else (f"move {by} to other CPUs (taskset, cpuset), or lower its priority (nice)",)
        ),
        check="stallscope waits RUN lists what ran while threads were runnable",
    )
