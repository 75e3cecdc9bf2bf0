"""Threads that others wait for: because of a lock that they hold, or of work that they have."""

from dataclasses import dataclass

from harness.diagnose.facts import Facts
from harness.waits.result import LockWaits, WaitCause

# A thread that runs, or that waits for a CPU, while others wait for it.
KINDS = ("thread", "run_queue", "cycle")
CONVOY = "convoy"  # a sign of a lock


@dataclass(frozen=True, slots=True)
class Blocker:
    """Threads with one name, and the causes of waits that end at them."""

    name: str
    causes: tuple[WaitCause, ...]
    wait_ns: int
    queued_ns: int  # of wait_ns: the blocker waited for a CPU

    @property
    def chain(self) -> tuple[str, ...]:
        """Return the names from a waiting thread to the blocker."""
        return tuple(link.name for link in self.causes[0].chain)


def blockers(facts: Facts, *, by_lock: bool) -> list[Blocker]:
    """Return the threads that are waited for by locks, or else otherwise, in order of cost."""
    names: dict[str, list[WaitCause]] = {}
    for cause in facts.causes(*KINDS):
        if cause.chain and waits_for_locks(facts, cause) == by_lock:
            names.setdefault(cause.name, []).append(cause)
    rows = [
        Blocker(
            name,
            tuple(causes),
            sum(cause.wait_ns for cause in causes),
            sum(cause.wait_ns for cause in causes if cause.kind == "run_queue"),
        )
        for name, causes in names.items()
    ]
    return sorted(rows, key=lambda row: -row.wait_ns)


def waits_for_locks(facts: Facts, cause: WaitCause) -> bool:
    """Return whether the group at the begin of the chain waits for locks more than otherwise."""
    group = facts.group_named(cause.chain[0].name)
    if group is None:
        return False
    states = group.states_ns
    return states["lock"] > states["condition"] + states["network"] + states["other"]


def is_convoy(lock: LockWaits) -> bool:
    """Return whether threads queue for a lock that is held for a short time."""
    return any(sign.startswith(CONVOY) for sign in lock.signs)
