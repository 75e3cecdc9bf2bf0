"""A table of sleep states, checked: names once each, deeper states never cheaper to leave."""

import re
from dataclasses import dataclass

from cstates.idle.states import POLL
from stallscope.errors import UsageError

MOST_STATES = 10  # the kernel's CPUIDLE_STATE_MAX
LARGEST_US = 1_000_000_000
_LATENCY = re.compile(r"([0-9]{1,9})us")


@dataclass(frozen=True, slots=True)
class DeclaredState:
    """A state as its driver declares it."""

    name: str
    description: str
    exit_latency_us: int
    target_residency_us: int
    enabled: bool = True

    @property
    def polling(self) -> bool:
        """Return whether the CPU spins in it instead of sleeping."""
        return self.name == POLL


@dataclass(frozen=True, slots=True)
class StateTable:
    """States from the shallowest to the deepest, and where they were read."""

    name: str
    cpu: str
    driver: str
    source: str
    states: tuple[DeclaredState, ...]

    def index_of(self, wanted: str) -> int:
        """Return the index of a state by its name, or of the deepest within "10us".

        Raises UsageError that lists the states there are.
        """
        latency = _LATENCY.fullmatch(wanted)
        if latency:
            within = [
                index
                for index, state in enumerate(self.states)
                if state.exit_latency_us <= int(latency[1])
            ]
            if within:
                return within[-1]
        for index, state in enumerate(self.states):
            if state.name == wanted:
                return index
        raise UsageError(
            f"table {self.name} has no state {wanted!r}",
            f"its states are {', '.join(state.name for state in self.states)}; "
            "or name the largest exit latency, as 10us",
        )


def checked_table(table: StateTable) -> StateTable:
    """Return the table; UsageError where its states cannot be a CPU's."""
    if not 1 <= len(table.states) <= MOST_STATES:
        raise _refused(table, f"it has {len(table.states)} states, not 1 to {MOST_STATES}")
    seen: set[str] = set()
    former: DeclaredState | None = None
    for state in table.states:
        if state.name in seen:
            raise _refused(table, f"state {state.name!r} is there twice")
        seen.add(state.name)
        if former:
            _check_deeper(table, former, state)
        former = state
    return table


def _check_deeper(table: StateTable, former: DeclaredState, state: DeclaredState) -> None:
    for what, before, after in (
        ("exit latency", former.exit_latency_us, state.exit_latency_us),
        ("target residency", former.target_residency_us, state.target_residency_us),
    ):
        if after < before:
            raise _refused(
                table,
                f"the {what} descends: {former.name} has {before} us, {state.name} {after} us",
            )


def _refused(table: StateTable, what: str) -> UsageError:
    return UsageError(
        f"table {table.name}: {what}",
        "list the states once each, from the shallowest to the deepest",
    )


def with_polling(table: StateTable) -> StateTable:
    """Return the table as x86's cpuidle registers it: POLL is put before a driver's own states."""
    if table.states and table.states[0].polling:
        return table
    poll = DeclaredState(POLL, "polling, put first by the kernel on x86", 0, 0)
    return checked_table(
        StateTable(table.name, table.cpu, table.driver, table.source, (poll, *table.states))
    )
