"""Instructions wait for loads from a cache or from memory, one after the other."""

from collections.abc import Iterator

from harness.diagnose.facts import Facts
from harness.diagnose.findings.memory import LEAST, memory_slots
from harness.diagnose.findings.pipeline import PipelineCause, pipeline_finding
from harness.diagnose.result import Finding

UNDIVIDED = 0.6  # factor of the confidence if bandwidth and latency cannot be separated


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding if latency is the larger part of the waits for memory."""
    parts = memory_slots(facts.slots)
    if parts is None or parts.latency < max(LEAST, parts.bandwidth, parts.shared):
        return
    source = f", most of them from {parts.level}" if parts.level else ""
    note = "" if parts.divided else " or bandwidth, which this CPU's counters do not divide"
    yield pipeline_finding(
        facts,
        PipelineCause(
            cause="memory-latency",
            sentence=(
                f"The pipeline waits for loads{source}: the latency of memory{note} costs "
                f"{parts.latency:.0%} of its slots."
            ),
            share=parts.latency,
            words=(
                "memory",
                "level 1 cache",
                "level 2 cache",
                "level 3 cache",
                "DRAM",
                "DRAM latency",
                "DRAM bandwidth",
            ),
            remedies=(
                (
                    "use data in the order of its layout: arrays instead of linked nodes, smaller "
                    "records, hot fields together"
                ),
                (
                    "start several loads at a time: prefetch, batches of lookups; use "
                    "huge pages if the TLB misses"
                ),
            ),
            check="stallscope topdown -p PID -l 4 shows MEM_Latency; stallscope lab memory the "
            "latency of each level",
            certainty=1.0 if parts.divided else UNDIVIDED,
        ),
    )
