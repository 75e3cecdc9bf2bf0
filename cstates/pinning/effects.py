"""Whether a pin took effect, by the counters of the states it closes; reading back shows nothing.

The governors haltpoll and ladder accept ``disable``, which then reads 1, and go on entering the
state. An entry is counted when it ends, so one entry of each CPU and state may have begun before.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from cstates.idle.states import read_idle_machine
from cstates.pinning.idle_plan import ClosedState
from stallscope.system_files import Roots

PROBE_S = 0.05
STAND_STILL = "a recorded machine's counters stand still: what its CPUs entered is not known"


class Effect(StrEnum):
    """What the counters show of states that were closed."""

    EFFECTIVE = "effective"
    WITHOUT_EFFECT = "accepted but without effect"
    NEVER_IDLED = "the CPUs never idled, so nothing was shown"
    UNCOUNTED = "the counters cannot tell"
    NOTHING_CLOSED = "no states were to be closed"


@dataclass(frozen=True, slots=True)
class Entries:
    """Entries into states, by CPU and index, of all states of the CPUs; unknown is absent."""

    counts: dict[tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class Finding:
    """What the counters showed; ``entries`` into closed states, and where."""

    effect: Effect
    entries: int = 0
    where: tuple[ClosedState, ...] = ()


def read_entries(roots: Roots, closed: tuple[ClosedState, ...]) -> Entries:
    """Return the counters of the CPUs that have closed states."""
    cpus = tuple(sorted({each.cpu for each in closed}))
    machine = read_idle_machine(roots, cpus)
    return Entries(
        {
            (cpu.cpu, state.index): state.usage
            for cpu in machine.cpus
            for state in cpu.states
            if state.usage is not None
        }
    )


def entries_by_name(roots: Roots, cpus: tuple[int, ...]) -> dict[str, int]:
    """Return the entries of all these CPUs into each state since boot, to be held to later ones.

    A state is absent where a CPU's counter of it was not read; all are of a recorded machine, whose
    counters stand still whatever runs.
    """
    if not roots.is_live:
        return {}
    found: dict[str, int] = {}
    unknown: set[str] = set()
    for cpu in read_idle_machine(roots, cpus).cpus:
        for state in cpu.states:
            if state.usage is None:
                unknown.add(state.name)
            found[state.name] = found.get(state.name, 0) + (state.usage or 0)
    return {name: count for name, count in found.items() if name not in unknown}


def grown(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """Return by how much counts grew; what went back, as after hotplug, is absent."""
    return {
        name: count - before[name]
        for name, count in after.items()
        if name in before and count >= before[name]
    }


def judge(
    before: Entries, after: Entries, closed: tuple[ClosedState, ...], *, live: bool = True
) -> Finding:
    """Return what the counters show between two readings; a recorded machine's may stand still."""
    if not closed:
        return Finding(Effect.NOTHING_CLOSED)
    rose = {
        key: count - before.counts[key]
        for key, count in after.counts.items()
        if key in before.counts and count >= before.counts[key]
    }
    places = {(each.cpu, each.index): each for each in closed}
    if not any(key in rose for key in places):
        return Finding(Effect.UNCOUNTED)
    entered = {key: rose.get(key, 0) for key in places if rose.get(key, 0) > 1}
    if entered:
        where = tuple(places[key] for key in sorted(entered))
        return Finding(Effect.WITHOUT_EFFECT, sum(entered.values()), where)
    if any(count > 0 for count in rose.values()):
        return Finding(Effect.EFFECTIVE)
    return Finding(Effect.NEVER_IDLED if live else Effect.UNCOUNTED)


def probe(
    roots: Roots,
    closed: tuple[ClosedState, ...],
    wait: Callable[[float], None] = time.sleep,
) -> Finding:
    """Return what the counters show over a moment while nothing of ours runs.

    A recorded machine's do not move.
    """
    if not closed:
        return Finding(Effect.NOTHING_CLOSED)
    if not roots.is_live:
        return Finding(Effect.UNCOUNTED)
    before = read_entries(roots, closed)
    wait(PROBE_S)
    return judge(before, read_entries(roots, closed), closed)
