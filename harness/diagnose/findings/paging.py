"""Threads wait for pages of memory: from swap, from mapped files, or until some are freed."""

from collections.abc import Iterator

from harness.diagnose.evidence import counted, sampled, waited
from harness.diagnose.facts import Facts, gain_without
from harness.diagnose.result import Finding, FindingEvidence, FindingPlace

CONFIDENCE = 0.9
WITHOUT_COUNTERS = 0.75
VMSTAT = "/proc/vmstat of the machine"


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding for waits for pages, and for CPU time in swapping and reclaiming."""
    causes = facts.disk_causes
    wait_ns = sum(cause.wait_ns for cause in causes) * facts.paging_share
    wait_ns = max(wait_ns, facts.state_ns("page_fault"))
    swapping = facts.cpu.swapping if facts.cpu is not None else None
    cpu_share = swapping.share if swapping is not None else 0.0
    faults_share = facts.major_share * facts.cpu.page_faults.share if facts.cpu is not None else 0.0
    cost = facts.share(wait_ns + (cpu_share + faults_share) * facts.running_ns)
    if not cost:
        return
    machine = facts.machine
    swapped = machine.memory.get("pswpin", 0) if machine is not None else 0
    is_swap = swapped > 0 or cpu_share > 0
    if is_swap:
        sentence = "Memory does not suffice: pages are swapped out, and read back when used."
    else:
        sentence = "Threads wait for pages of mapped files that are read from a disk."
    functions = swapping.callers if swapping is not None else ()
    where = [FindingPlace(kind="function", name=name) for name, _ in functions]
    where += _waiting_places(facts)
    yield Finding(
        cause="paging",
        sentence=sentence,
        cost_share=cost,
        largest_gain=gain_without(
            facts.share(wait_ns + facts.state_ns("run_queue") + facts.state_ns("system"))
        ),
        confidence=CONFIDENCE if machine is not None else WITHOUT_COUNTERS,
        evidence=tuple(_evidence(facts, wait_ns, cpu_share, faults_share)),
        where=tuple(dict.fromkeys(where)),
        try_=(
            (
                "give the program more memory (memory.max of its cgroup), or use less of it",
                "keep what must not be swapped in memory: mlock(2), memory.swap.max",
            )
            if is_swap
            else (
                "read the file ahead of its use: madvise(MADV_WILLNEED), MAP_POPULATE, readahead",
                "read(2) in a separate thread instead of faults in the thread that computes",
            )
        ),
        check="pgmajfault and pswpin in /proc/vmstat grow more slowly; so does majflt of the "
        "process",
    )


def _evidence(
    facts: Facts, wait_ns: float, cpu_share: float, faults_share: float
) -> Iterator[FindingEvidence]:
    if wait_ns:
        yield waited(facts, "waits for pages", wait_ns, "context switches")
    if cpu_share:
        yield sampled(facts, "CPU time in swapping and reclaiming pages", cpu_share)
    if faults_share:
        yield sampled(facts, "CPU time in faults for which a page is read", faults_share)
    machine = facts.machine
    if machine is None:
        return
    if machine.major_faults is not None:
        yield counted(
            "major faults of the target", machine.major_faults, "faults", "/proc/PID/stat"
        )
    for name, text in (("pswpin", "pages swapped in"), ("pswpout", "pages swapped out")):
        if machine.memory.get(name):
            yield counted(text, machine.memory[name], "pages", VMSTAT)
    pressure = machine.pressures.get("memory.some")
    if pressure is not None:
        yield counted(
            "time with tasks that wait for memory", pressure, "share", "/proc/pressure/memory"
        )


def _waiting_places(facts: Facts) -> list[FindingPlace]:
    """Return the threads that wait for pages most."""
    rows = [group for group in facts.groups if group.states_ns["page_fault"]]
    rows.sort(key=lambda group: -group.states_ns["page_fault"])
    return [FindingPlace(kind="thread", name=group.name) for group in rows[:2]]
