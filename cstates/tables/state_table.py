"""Checked tables of sleep states: unique names, and latencies that never decrease with depth."""

import re
from dataclasses import dataclass

from cstates.idle.states import POLL
from stallscope.errors import UsageError

MAX_STATES = 10  # the kernel's CPUIDLE_STATE_MAX
LARGEST_US = 1_000_000_000
_LATENCY = re.compile(r"([0-9]{1,9})us")


@dataclass(frozen=True, slots=True)
class DeclaredState:
    """A state as declared by its driver."""

    name: str
    description: str
    exit_latency_us: int
    target_residency_us: int
    enabled: bool = True

    @property
    def polling(self) -> bool:
        """Return whether the CPU spins in this state instead of sleeping."""
        return self.name == POLL


@dataclass(frozen=True, slots=True)
class StateTable:
    """States from the shallowest to the deepest, and their source."""

    name: str
    cpu: str
    driver: str
    source: str
    states: tuple[DeclaredState, ...]

    def index_of(self, name: str) -> int:
        """Return the index of a state by name, or of the deepest one within a latency ("10us").

        Raises UsageError that lists the states of the table.
        """
        latency = _LATENCY.fullmatch(name)
        if latency:
            within = [
                index
                for index, state in enumerate(self.states)
                if state.exit_latency_us <= int(latency[1])
            ]
            if within:
                return within[-1]
        for index, state in enumerate(self.states):
            if state.name == name:
                return index
        raise UsageError(
            f"table {self.name} has no state {name!r}",
            f"its states are {', '.join(state.name for state in self.states)}; "
            "or name the maximum exit latency, for example 10us",
        )


def checked_table(table: StateTable) -> StateTable:
    """Return the table; UsageError if its states are invalid."""
    if not 1 <= len(table.states) <= MAX_STATES:
        raise _table_error(table, f"it has {len(table.states)} states, expected 1 to {MAX_STATES}")
    seen: set[str] = set()
    shallower: DeclaredState | None = None
    for state in table.states:
        if state.name in seen:
            raise _table_error(table, f"state {state.name!r} occurs twice")
        seen.add(state.name)
        if shallower:
            _check_deeper(table, shallower, state)
        shallower = state
    return table


def _check_deeper(table: StateTable, shallower: DeclaredState, state: DeclaredState) -> None:
    for quantity, before, after in (
        ("exit latency", shallower.exit_latency_us, state.exit_latency_us),
        ("target residency", shallower.target_residency_us, state.target_residency_us),
    ):
        if after < before:
            raise _table_error(
                table,
                f"the {quantity} decreases: {shallower.name} has {before} us, "
                f"{state.name} {after} us",
            )


def _table_error(table: StateTable, problem: str) -> UsageError:
    return UsageError(
        f"table {table.name}: {problem}",
        "list each state once, from the shallowest to the deepest",
    )


def with_polling(table: StateTable) -> StateTable:
    """Return the table as cpuidle registers it on x86: with POLL before the driver's states."""
    if table.states and table.states[0].polling:
        return table
    poll = DeclaredState(POLL, "polling, added by the kernel on x86", 0, 0)
    return checked_table(
        StateTable(table.name, table.cpu, table.driver, table.source, (poll, *table.states))
    )
