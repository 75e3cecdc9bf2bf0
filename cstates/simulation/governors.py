"""The governors that can be simulated, by name.

Each governor re-implements the rules of a Linux kernel source file, which is licensed under
GPL-2.0; ``source`` and ``kernel`` name the file and the kernel version. The implementation in
native/cpuidle was written from a description of these rules. It contains no code of the kernel.
"""

import difflib
from dataclasses import dataclass

from cstates.tables.state_table import StateTable
from stallscope._native import IdleGovernor
from stallscope.errors import UsageError

PIN = "pin:"


@dataclass(frozen=True, slots=True)
class SimulatedGovernor:
    """A governor of one kernel version; its rules run in native/cpuidle."""

    name: str
    native: IdleGovernor
    kernel: str  # the version that has these rules
    source: str  # the kernel's source file
    rules: str
    fixed_state: int = 0
    uses: frozenset[str] = frozenset()  # optional columns of the trace


_FOLDER = "drivers/cpuidle/governors"
GOVERNORS = (
    SimulatedGovernor(
        "menu-timer",
        IdleGovernor.MENU_TIMER,
        "4.9",
        f"{_FOLDER}/menu.c",
        "as 4.9, but the next timer is the prediction; history, load and I/O waiters are ignored",
    ),
    SimulatedGovernor(
        "menu-4.9",
        IdleGovernor.MENU_4_9,
        "4.9",
        f"{_FOLDER}/menu.c",
        "as 6.1, but the exit latency may not exceed the prediction divided by 1 + 2 x (10 x load) "
        "+ 10 x the tasks that wait for I/O; the tick is stopped before the choice",
        uses=frozenset({"iowaiters", "load"}),
    ),
    SimulatedGovernor(
        "menu-6.1",
        IdleGovernor.MENU_6_1,
        "6.1",
        f"{_FOLDER}/menu.c",
        "the next timer times a learned factor, or the typical interval if shorter; the largest "
        "outliers are ignored; the exit latency may not exceed the prediction divided by "
        "1 + 10 x the tasks that wait for I/O",
        uses=frozenset({"iowaiters"}),
    ),
    SimulatedGovernor(
        "menu-6.12",
        IdleGovernor.MENU_6_12,
        "6.12",
        f"{_FOLDER}/menu.c",
        "as 6.1, but the timer is read only if the typical interval exceeds 15 us",
    ),
    SimulatedGovernor(
        "menu-6.18",
        IdleGovernor.MENU_6_18,
        "6.18",
        f"{_FOLDER}/menu.c",
        "as 6.12, but outliers at the farther end are ignored, and only the latency limit bounds "
        "the exit latency",
    ),
    SimulatedGovernor(
        "teo-6.12",
        IdleGovernor.TEO_6_12,
        "6.12",
        f"{_FOLDER}/teo.c",
        "bins at target residencies; a shallower state if intercepts outweigh hits",
    ),
    SimulatedGovernor(
        "teo-6.18",
        IdleGovernor.TEO_6_18,
        "6.18",
        f"{_FOLDER}/teo.c",
        "as 6.12, but a wake-up shortly before the timer is a hit, and ticks are counted "
        "separately",
    ),
    SimulatedGovernor(
        "ladder",
        IdleGovernor.LADDER,
        "6.18",
        f"{_FOLDER}/ladder.c",
        "one state deeper after four idles longer than the exit latency, one shallower after a "
        "shorter idle",
    ),
    SimulatedGovernor(
        "haltpoll",
        IdleGovernor.HALTPOLL,
        "6.18",
        f"{_FOLDER}/haltpoll.c",
        "polls for 50 to 200 us, then halts in the second state",
    ),
)


def columns_used(name: str) -> frozenset[str]:
    """Return the optional columns of a trace that affect a governor's choices, by its name."""
    uses = (governor.uses for governor in GOVERNORS if governor.name == name)
    return next(uses, frozenset())


def select_governors(names: tuple[str, ...], table: StateTable) -> tuple[SimulatedGovernor, ...]:
    """Return governors by name, in order; by default all, with pins to the first two states.

    "menu" selects all its versions, "pin:C1" a state by name, "pin:10us" the deepest state with an
    exit latency of at most 10 us. Raises UsageError that lists the known names.
    """
    if not names:
        pins = [f"{PIN}{state.name}" for state in table.states[:2]]
        return (*GOVERNORS, *(_pinned(name, table) for name in pins))
    chosen = [governor for name in names for governor in _governors(name, table)]
    return tuple({governor.name: governor for governor in chosen}.values())


def _governors(name: str, table: StateTable) -> tuple[SimulatedGovernor, ...]:
    if name.startswith(PIN):
        return (_pinned(name, table),)
    selected = tuple(
        governor
        for governor in GOVERNORS
        if name in (governor.name, governor.name.partition("-")[0])
    )
    if selected:
        return selected
    names = [governor.name for governor in GOVERNORS]
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise UsageError(
        f"unknown governor {name!r}",
        f"{hint}known governors are {', '.join(names)}, and pins such as pin:C1 or pin:10us",
    )


def _pinned(name: str, table: StateTable) -> SimulatedGovernor:
    index = table.index_of(name.removeprefix(PIN))
    return SimulatedGovernor(
        name,
        IdleGovernor.FIXED,
        "any",
        "drivers/cpuidle/sysfs.c",
        f"always {table.states[index].name}, as if all other states were closed",
        index,
    )
