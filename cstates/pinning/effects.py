"""Whether a pin took effect, by the counters of the states that it closes.

Reading a file back shows nothing: the governors haltpoll and ladder accept ``disable``, which then
reads 1, and still enter the state. An entry is counted when it ends, so that for each CPU and
state one entry may have begun before.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from cstates.idle.states import read_idle_machine
from cstates.pinning.idle_plan import ClosedState
from stallscope.system_files import Roots

PROBE_S = 0.05
CONSTANT_COUNTERS = (
    "the counters of a recorded machine do not change: the states its CPUs entered are unknown"
)


class Effect(StrEnum):
    """What the counters show of closed states."""

    EFFECTIVE = "effective"
    WITHOUT_EFFECT = "accepted but without effect"
    NEVER_IDLED = "unknown, as the CPUs never idled"
    UNCOUNTED = "unknown, as the entries were not counted"
    NOTHING_CLOSED = "no states were closed"


@dataclass(frozen=True, slots=True)
class StateEntries:
    """Entries into all states of the CPUs, by CPU and state index; unknown ones are absent."""

    counts: dict[tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class EffectCheck:
    """The effect, with the number of entries into closed states and those states."""

    effect: Effect
    entries: int = 0
    states: tuple[ClosedState, ...] = ()


def read_entries(roots: Roots, closed: tuple[ClosedState, ...]) -> StateEntries:
    """Return the counters of the CPUs that have closed states."""
    cpus = tuple(sorted({state.cpu for state in closed}))
    machine = read_idle_machine(roots, cpus)
    return StateEntries(
        {
            (cpu.cpu, state.index): state.usage
            for cpu in machine.cpus
            for state in cpu.states
            if state.usage is not None
        }
    )


def entries_by_name(roots: Roots, cpus: tuple[int, ...]) -> dict[str, int]:
    """Return the entries into each state since boot, summed over the CPUs.

    A state is absent if a CPU's counter of it was not read. All states of a recorded machine are
    absent, as its counters do not change.
    """
    if not roots.is_live:
        return {}
    counts: dict[str, int] = {}
    unknown: set[str] = set()
    for cpu in read_idle_machine(roots, cpus).cpus:
        for state in cpu.states:
            if state.usage is None:
                unknown.add(state.name)
            counts[state.name] = counts.get(state.name, 0) + (state.usage or 0)
    return {name: count for name, count in counts.items() if name not in unknown}


def increases(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """Return the increase of each count; counts that decreased, as after hotplug, are absent."""
    return {
        name: count - before[name]
        for name, count in after.items()
        if name in before and count >= before[name]
    }


def check_effect(
    before: StateEntries,
    after: StateEntries,
    closed: tuple[ClosedState, ...],
    *,
    live: bool = True,
) -> EffectCheck:
    """Return what the counters show between two readings."""
    if not closed:
        return EffectCheck(Effect.NOTHING_CLOSED)
    entries = {
        key: count - before.counts[key]
        for key, count in after.counts.items()
        if key in before.counts and count >= before.counts[key]
    }
    states = {(state.cpu, state.index): state for state in closed}
    if not any(key in entries for key in states):
        return EffectCheck(Effect.UNCOUNTED)
    entered = {key: entries.get(key, 0) for key in states if entries.get(key, 0) > 1}
    if entered:
        entered_states = tuple(states[key] for key in sorted(entered))
        return EffectCheck(Effect.WITHOUT_EFFECT, sum(entered.values()), entered_states)
    if any(count > 0 for count in entries.values()):
        return EffectCheck(Effect.EFFECTIVE)
    return EffectCheck(Effect.NEVER_IDLED if live else Effect.UNCOUNTED)


def probe_effect(
    roots: Roots,
    closed: tuple[ClosedState, ...],
    wait: Callable[[float], None] = time.sleep,
) -> EffectCheck:
    """Return what the counters show over a short wait, before the command runs."""
    if not closed:
        return EffectCheck(Effect.NOTHING_CLOSED)
    if not roots.is_live:
        return EffectCheck(Effect.UNCOUNTED)
    before = read_entries(roots, closed)
    wait(PROBE_S)
    return check_effect(before, read_entries(roots, closed), closed)
