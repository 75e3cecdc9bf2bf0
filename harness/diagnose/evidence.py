"""Evidence of findings: numbers with their source and their 95 % interval."""

from harness.diagnose.facts import Facts, gain_without
from harness.diagnose.kernel_ways import ThreadShare
from harness.diagnose.result import FindingEvidence
from harness.diagnose.slots import SlotNode
from stallscope.statistics.intervals import wilson_interval

SAMPLES = "CPU samples"
GRAPH = "wait-for graph"
SWITCHES = "context switches"


def waited(facts: Facts, name: str, time_ns: float, source: str = GRAPH) -> FindingEvidence:
    """Return a waiting time. The interval is a point if every switch was recorded."""
    error_ns = time_ns * _relative_error(facts)
    return FindingEvidence(
        name=name,
        value=time_ns,
        unit="ns",
        source=source,
        low=max(0.0, time_ns - error_ns),
        high=time_ns + error_ns,
    )


def _relative_error(facts: Facts) -> float:
    """Return half the interval of the waiting time of working threads, as a share of it."""
    if not any(group.errors_ns for group in facts.groups):
        return 0.0
    waits = [
        (group.states_ns[state], (group.errors_ns or {}).get(state, 0))
        for group in facts.groups
        for state in group.states_ns
        if state not in ("user", "system")
    ]
    total = sum(time for time, _ in waits)
    return float(sum(error**2 for _, error in waits) ** 0.5 / total) if total else 0.0


def sampled(facts: Facts, name: str, share: float, source: str = SAMPLES) -> FindingEvidence:
    """Return a share of the CPU samples with its interval for independent samples."""
    low = high = None
    if facts.cpu is not None and facts.cpu.samples:
        count = round(min(1.0, share) * facts.cpu.samples)
        low, high = wilson_interval(count, facts.cpu.samples)
    return FindingEvidence(name=name, value=share, unit="share", source=source, low=low, high=high)


def largest_gain_of_samples(facts: Facts, share: float) -> float | None:
    """Return how many times faster work without a share of the CPU samples becomes at most.

    It is that of a thread that never waits: less CPU time also needs less time in the run queue.
    The upper end of the interval counts, because the gain is an upper bound.
    """
    evidence = sampled(facts, "", share)
    return gain_without(min(1.0, share if evidence.high is None else evidence.high))


def largest_gain_of_thread(removable: ThreadShare | None) -> float | None:
    """Return how many times faster a thread without a share of its samples becomes at most."""
    if removable is None or not removable.samples:
        return 1.0
    count = round(removable.share * removable.samples)
    return gain_without(wilson_interval(count, removable.samples)[1])


def slot_evidence(facts: Facts, slot: SlotNode) -> FindingEvidence:
    """Return the share of a node of the tree of slots."""
    assert facts.slots is not None
    return FindingEvidence(
        name=f"{slot.name}, share of {slot.unit}",
        value=min(1.0, max(0.0, slot.share)),
        unit="share",
        source=facts.slots.source if facts.slots.kind == "modelled" else "hardware counters",
        low=slot.low,
        high=slot.high,
    )


def counted(name: str, value: float, unit: str, source: str) -> FindingEvidence:
    """Return a counter of the kernel, which is exact."""
    return FindingEvidence(name=name, value=value, unit=unit, source=source, low=value, high=value)
