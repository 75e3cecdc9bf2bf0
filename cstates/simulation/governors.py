"""The governors that can be simulated, by name, and the kernel's files their rules are from."""

import difflib
from dataclasses import dataclass

from cstates.tables.state_table import StateTable
from stallscope._native import IdleGovernor
from stallscope.errors import UsageError

PIN = "pin:"


@dataclass(frozen=True, slots=True)
class Governor:
    """A governor of a kernel's version: its rules run natively (native/cpuidle)."""

    name: str
    native: IdleGovernor
    kernel: str  # the version whose rules these are
    source: str  # the kernel's file
    rules: str
    fixed_state: int = 0


_FOLDER = "drivers/cpuidle/governors"
KNOWN = (
    Governor(
        "menu-6.1",
        IdleGovernor.MENU_6_1,
        "6.1",
        f"{_FOLDER}/menu.c",
        "next timer times a learnt factor, or the typical interval if less; largest outliers left "
        "out; no exit latency beyond the prediction",
    ),
    Governor(
        "menu-6.12",
        IdleGovernor.MENU_6_12,
        "6.12",
        f"{_FOLDER}/menu.c",
        "as 6.1, but the timer is read only if the typical interval is beyond 15 us",
    ),
    Governor(
        "menu-6.18",
        IdleGovernor.MENU_6_18,
        "6.18",
        f"{_FOLDER}/menu.c",
        "as 6.12, but outliers at the farther end are left out, and only the latency limit bounds "
        "exit latency",
    ),
    Governor(
        "teo-6.12",
        IdleGovernor.TEO_6_12,
        "6.12",
        f"{_FOLDER}/teo.c",
        "bins at target residencies; a shallower state where intercepts outweigh hits",
    ),
    Governor(
        "teo-6.18",
        IdleGovernor.TEO_6_18,
        "6.18",
        f"{_FOLDER}/teo.c",
        "as 6.12, but a hit also ends close to the timer, and ticks are counted apart",
    ),
    Governor(
        "ladder",
        IdleGovernor.LADDER,
        "6.18",
        f"{_FOLDER}/ladder.c",
        "deeper after four idles longer than the exit latency, shallower after one shorter",
    ),
    Governor(
        "haltpoll",
        IdleGovernor.HALTPOLL,
        "6.18",
        f"{_FOLDER}/haltpoll.c",
        "polls 50 to 200 us, then halts in the second state",
    ),
)


def chosen_governors(names: tuple[str, ...], table: StateTable) -> tuple[Governor, ...]:
    """Return governors by name, in order; all of them, POLL and the first real state without any.

    "menu" is all versions of it, "pin:C1" a state by its name, "pin:10us" the deepest whose exit
    latency is within 10 us. Raises UsageError that lists the known ones.
    """
    if not names:
        pins = [f"{PIN}{state.name}" for state in table.states[:2]]
        return (*KNOWN, *(_pinned(name, table) for name in pins))
    chosen = [governor for name in names for governor in _governors(name, table)]
    return tuple({governor.name: governor for governor in chosen}.values())


def _governors(name: str, table: StateTable) -> tuple[Governor, ...]:
    if name.startswith(PIN):
        return (_pinned(name, table),)
    found = tuple(each for each in KNOWN if name in (each.name, each.name.partition("-")[0]))
    if found:
        return found
    known = [governor.name for governor in KNOWN]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"perhaps {near[0]}; " if near else ""
    raise UsageError(
        f"there is no governor {name!r}",
        f"{hint}known are {', '.join(known)}, and pins as pin:C1 or pin:10us",
    )


def _pinned(name: str, table: StateTable) -> Governor:
    index = table.index_of(name.removeprefix(PIN))
    return Governor(
        name,
        IdleGovernor.FIXED,
        "any",
        "drivers/cpuidle/sysfs.c",
        f"always {table.states[index].name}, as when all others are closed",
        index,
    )
