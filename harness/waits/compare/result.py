"""The comparison of two recordings of waits: shares of wall time by state."""

from harness.waits.result import GroupWaits, WaitsResult
from stallscope.documents import Amount, Count, Document, Number, Record
from topdown.waits.states import ThreadState

# Smaller changes of a share are not called growth: one recording has no interval.
MIN_GROWTH = 0.01


class ComparedRecording(Record, frozen=True, kw_only=True):
    """A recording of the comparison."""

    recording: str
    title: str
    threads: Count
    wall_ns: Count  # of all threads


class StateChange(Record, frozen=True, kw_only=True):
    """A state's share of the wall time of all threads, before and after."""

    state: str
    before: Amount
    after: Amount
    change: Number  # after - before


class GroupChange(Record, frozen=True, kw_only=True):
    """A thread group in both recordings."""

    process: str
    name: str
    threads_before: Count
    threads_after: Count
    states: tuple[StateChange, ...]


class WaitsComparison(Document, frozen=True, kw_only=True, tag="stallscope.waits.compare/1"):
    """Changes of shares, the largest growth first.

    ``grew``: the state that grew most; None if none grew by MIN_GROWTH.
    """

    before: ComparedRecording
    after: ComparedRecording
    grew: str | None
    states: tuple[StateChange, ...]
    groups: tuple[GroupChange, ...]


def compare(before: WaitsResult, after: WaitsResult) -> WaitsComparison:
    """Return the comparison of two results."""
    states = _changes(_sum(before), _sum(after))
    old = {(group.process, group.name): group for group in before.groups}
    pairs = [(old[key], group) for group in after.groups if (key := _key(group)) in old]
    grew = states[0] if states and states[0].change >= MIN_GROWTH else None
    return WaitsComparison(
        before=_recording(before),
        after=_recording(after),
        grew=None if grew is None else grew.state,
        states=states,
        groups=tuple(
            GroupChange(
                process=group.process,
                name=group.name,
                threads_before=earlier.threads,
                threads_after=group.threads,
                states=_changes(earlier.states_ns, group.states_ns),
            )
            for earlier, group in pairs
        ),
    )


def _key(group: GroupWaits) -> tuple[str, str]:
    return group.process, group.name


def _sum(result: WaitsResult) -> dict[str, int]:
    return {
        state.key: sum(group.states_ns[state.key] for group in result.groups)
        for state in ThreadState
    }


def _changes(before: dict[str, int], after: dict[str, int]) -> tuple[StateChange, ...]:
    """Return the states with time in one of them, by growth."""
    sums = sum(before.values()) or 1, sum(after.values()) or 1
    rows = []
    for state in ThreadState:
        shares = before[state.key] / sums[0], after[state.key] / sums[1]
        if any(shares):
            change = shares[1] - shares[0]
            rows.append(
                StateChange(state=state.key, before=shares[0], after=shares[1], change=change)
            )
    return tuple(sorted(rows, key=lambda row: -row.change))


def _recording(result: WaitsResult) -> ComparedRecording:
    return ComparedRecording(
        recording=result.recording,
        title=result.title,
        threads=sum(group.threads for group in result.groups),
        wall_ns=sum(group.wall_ns for group in result.groups),
    )
