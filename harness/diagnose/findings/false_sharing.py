"""Threads on several cores write to one cache line, which the cores take from each other."""

from collections.abc import Iterator

from harness.diagnose.facts import RUNNING, Facts
from harness.diagnose.findings.memory import memory_slots
from harness.diagnose.findings.pipeline import PipelineCause, pipeline_finding
from harness.diagnose.result import Finding

LEAST = 0.1
LEAST_THREADS = 2
LEAST_RUNNING = 0.1  # of a thread's wall time


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding if lines move between cores, and several threads run."""
    parts = memory_slots(facts.slots)
    if parts is None or parts.shared < LEAST or _running_threads(facts) < LEAST_THREADS:
        return
    yield pipeline_finding(
        facts,
        PipelineCause(
            cause="false-sharing",
            sentence=(
                "Cores take cache lines from each other: threads write to the same line, and "
                f"{parts.shared:.0%} of the slots wait for it."
            ),
            share=parts.shared,
            words=("memory", "stores", "level 3 cache", "false sharing", "contested lines"),
            remedies=(
                "give each thread its own cache line: alignas(64) for counters and queue ends",
                "keep sums per thread, and add them up at the end, if the data is truly shared",
            ),
            check="perf c2c record shows the line and both functions; stallscope topdown -l 4 "
            "shows False_Sharing and Contested_Accesses",
        ),
    )


def _running_threads(facts: Facts) -> int:
    """Return the number of threads that run for a considerable part of their time."""
    return sum(
        group.threads
        for group in facts.groups
        if sum(group.states_ns[state] for state in RUNNING) >= LEAST_RUNNING * group.wall_ns > 0
    )
