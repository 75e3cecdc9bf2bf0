"""Requests to memory queue up: the data rate of DRAM is the limit."""

from collections.abc import Iterator

from harness.diagnose.facts import Facts
from harness.diagnose.findings.memory import memory_slots
from harness.diagnose.findings.pipeline import PipelineCause, pipeline_finding
from harness.diagnose.result import Finding

LEAST = 0.15


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding if bandwidth is known apart from latency, and is a large part."""
    parts = memory_slots(facts.slots)
    if parts is None or not parts.divided or parts.bandwidth < max(LEAST, parts.latency / 2):
        return
    yield pipeline_finding(
        facts,
        PipelineCause(
            cause="memory-bandwidth",
            sentence=(
                f"The data rate of memory is the limit: {parts.bandwidth:.0%} of the pipeline's "
                "slots wait for it."
            ),
            share=parts.bandwidth,
            words=("memory", "DRAM", "DRAM bandwidth", "DRAM latency"),
            remedies=(
                (
                    "move less data: smaller types, fewer passes over the array, blocks that fit "
                    "into a cache"
                ),
                "do not add threads on this socket: they share the data rate",
            ),
            check="stallscope topdown -p PID -l 4 shows MEM_Bandwidth; stallscope lab memory the "
            "rate of this machine",
        ),
    )
