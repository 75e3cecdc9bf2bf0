"""Links between findings and panels: which panel shows the evidence of a source or a place."""

from collections.abc import Iterable

from harness.diagnose.result import Finding

FLAME, SLOTS, WAITS, CAUSES, LOCKS = "flame", "slots", "waits", "causes", "locks"
SLEEP_STATES, MACHINE, DISKS, LATENCY = "sleep-states", "machine", "disks", "latency"
COMPARISON = "comparison"
# Beginnings of the names of sources, the longest first where one contains the other.
_SOURCES = (
    ("CPU samples", FLAME),
    ("samples", FLAME),
    ("wait-for graph", CAUSES),
    ("context switches", WAITS),
    ("wake-ups", WAITS),
    ("futex", LOCKS),
    ("lock", LOCKS),
    ("cpuidle", SLEEP_STATES),
    ("cpufreq", SLEEP_STATES),
    ("thermal", SLEEP_STATES),
    ("/sys/block", DISKS),
    ("reads of --path", LATENCY),
    ("/proc/", MACHINE),
    ("cpu.stat", MACHINE),
    ("steal", MACHINE),
)
_PLACES = {
    "thread": WAITS,
    "process": WAITS,
    "function": FLAME,
    "line": FLAME,
    "lock": LOCKS,
    "disk": DISKS,
    "file": LATENCY,
    "directory": LATENCY,
    "CPU": SLEEP_STATES,
    "cgroup": MACHINE,
    "machine": MACHINE,
}


def panel_of_source(source: str) -> str:
    """Return the id of the panel that shows numbers of a source; slots have many names."""
    for begin, panel in _SOURCES:
        if source.startswith(begin):
            return panel
    return SLOTS


def panel_of_place(kind: str) -> str:
    """Return the id of the panel that shows a kind of place."""
    return _PLACES.get(kind, WAITS)


def findings_by_panel(findings: Iterable[Finding]) -> dict[str, tuple[int, ...]]:
    """Return the numbers of the findings whose evidence a panel shows, from 1."""
    numbers: dict[str, dict[int, None]] = {}
    for number, finding in enumerate(findings, 1):
        for evidence in finding.evidence:
            numbers.setdefault(panel_of_source(evidence.source), {})[number] = None
    return {panel: tuple(rows) for panel, rows in numbers.items()}
