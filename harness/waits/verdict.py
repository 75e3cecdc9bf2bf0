"""The sentence that sums up a result: what the working threads do most, and the first cause."""

from harness.cli.terminal import percent, printable
from harness.waits.graph_text import cause_text, whole_ns
from harness.waits.result import GroupWaits, WaitsResult
from topdown.waits.states import ThreadState

MOST_STATES = 3
LEAST_SHARE = 0.05
_RUN = "run"
_PHRASES = {
    "user": _RUN,
    "system": _RUN,
    "run_queue": "wait for a CPU",
    "lock": "wait for locks",
    "condition": "wait for other threads or events",
    "disk_read": "wait for reads from a disk",
    "disk_write": "wait for writes to a disk",
    "network": "wait for the network",
    "page_fault": "wait for pages",
    "sleep": "sleep",
    "throttled": "are throttled by the CPU limit of their cgroup",
    "stopped": "are stopped",
    "stolen": "lose the CPU to the hypervisor",
    "other": "wait for something without a state here",
    "unknown": "are in an unknown state",
}


def is_idle(result: WaitsResult, group: GroupWaits) -> bool:
    """Return whether all threads of a group are idle, so that it is set apart."""
    return any(
        (pool.process, pool.name) == (group.process, group.name) and pool.threads >= group.threads
        for pool in result.idle_pools
    )


def working_groups(result: WaitsResult) -> list[GroupWaits]:
    """Return the groups that are not set apart."""
    return [group for group in result.groups if not is_idle(result, group)]


def verdict(result: WaitsResult) -> str:
    """Return the sentence, with a capital letter and a full stop."""
    groups = working_groups(result)
    if not result.groups:
        return f"No thread of {printable(result.title)} lived while it was recorded."
    if not groups:
        return "All threads are idle: they wait for work, and no thread waits for them."
    threads = sum(group.threads for group in groups)
    noun = "thread" if threads == 1 else "threads"
    own = "its" if threads == 1 else "their"
    states = _states(groups, threads)
    text = f"{threads:,} working {noun} {states[0]} of {own} wall time"
    if len(states) > 1:
        text += f", {', '.join(states[1:-1])}{', ' if states[1:-1] else ''}and {states[-1]}"
        text = text.replace(", and", " and", 1) if len(states) == 2 else text
    return f"{text}.{_first_cause(result)}"


def _states(groups: list[GroupWaits], threads: int) -> list[str]:
    """Return what the threads do most: "wait for locks 53.3 %"."""
    wall = sum(group.wall_ns for group in groups) or 1
    sums: dict[str, int] = {}
    for state in ThreadState:
        phrase = _PHRASES[state.key]
        sums[phrase] = sums.get(phrase, 0) + sum(group.states_ns[state.key] for group in groups)
    ordered = sorted(sums.items(), key=lambda row: -row[1])[:MOST_STATES]
    largest = [row for row in ordered if row[1] >= LEAST_SHARE * wall] or ordered[:1]
    return [f"{_verb(phrase, threads)} {percent(time / wall)}" for phrase, time in largest]


def _verb(phrase: str, threads: int) -> str:
    """Return the phrase for one thread or several."""
    verb, _, rest = phrase.partition(" ")
    if threads != 1:
        return phrase
    singular = {"are": "is", "lose": "loses"}.get(verb, f"{verb}s")
    return f"{singular} {rest}".strip().replace(" their ", " its ")


def _first_cause(result: WaitsResult) -> str:
    if not result.causes or result.graph is None or not result.graph.wait_ns:
        return ""
    cause = result.causes[0]
    share = percent(min(1.0, cause.wait_ns / whole_ns(result.causes, result.graph)))
    return f" First cause of waits: {cause_text(cause)}, {share} of them."
