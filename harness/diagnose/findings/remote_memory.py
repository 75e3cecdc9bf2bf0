"""Loads are served by the memory or the caches of another NUMA node."""

from collections.abc import Iterator

from harness.diagnose.evidence import counted
from harness.diagnose.facts import Facts
from harness.diagnose.findings.memory import memory_slots
from harness.diagnose.findings.pipeline import PipelineCause, pipeline_finding
from harness.diagnose.readings.activity import MachineActivity
from harness.diagnose.result import Finding, FindingEvidence

LEAST = 0.1


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding if slots wait for remote loads. The place of pages alone costs nothing."""
    parts = memory_slots(facts.slots)
    machine = facts.machine
    if parts is None or parts.remote < LEAST or (machine is not None and machine.header.nodes < 2):
        return
    yield pipeline_finding(
        facts,
        PipelineCause(
            cause="remote-memory",
            sentence=(
                f"Loads from another NUMA node cost {parts.remote:.0%} of the pipeline's slots."
            ),
            share=parts.remote,
            words=("memory", "DRAM", "DRAM latency", "remote memory", "remote cache"),
            remedies=(
                "run the threads where their memory is: numactl --cpunodebind=N --membind=N",
                "let each thread touch its memory first, so that the kernel places it there",
            ),
            check="numastat -p PID shows the pages of each node, and topdown -l 5 Remote_MEM",
            evidence=tuple(_hinting_faults(machine)),
        ),
    )


def _hinting_faults(machine: MachineActivity | None) -> Iterator[FindingEvidence]:
    faults = machine.memory.get("numa_hint_faults", 0) if machine is not None else 0
    if machine is not None and faults:
        local = min(faults, machine.memory.get("numa_hint_faults_local", 0))
        name = "remote part of the faults by which the kernel samples accesses"
        yield counted(name, 1 - local / faults, "share", "/proc/vmstat of the machine")
