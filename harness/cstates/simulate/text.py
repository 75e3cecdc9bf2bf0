"""Simulated governors for a terminal."""

from collections.abc import Iterator

from cstates.simulation.governors import columns_used
from harness.cli.table import columns
from harness.cli.terminal import percent, printable, wrapped
from harness.cstates.simulate.result import SimulatedRow, SimulateResult

HEADS = ("Governor", "Too deep", "Too shallow", "Exit us: mean", "p50", "p99", "us/s")


def lines(result: SimulateResult, width: int) -> Iterator[str]:
    """Yield the table of governors and its notes."""
    yield from wrapped(title(result), width)
    yield ""
    yield from columns([heads(result), *map(cells, result.rows)])
    yield ""
    for text in notes(result):
        yield from wrapped(text, width)


def title(result: SimulateResult) -> str:
    """Return what was replayed."""
    return printable(
        f"{result.intervals:,} idle intervals of {result.trace} on the states of {result.table}: "
        "modelled, with declared exit latencies."
    )


def heads(result: SimulateResult) -> tuple[str, ...]:
    """Return the heads of the columns, with the states at the end."""
    return (*HEADS, *(printable(name) for row in result.rows[:1] for name in row.residency))


def cells(row: SimulatedRow) -> tuple[str, ...]:
    """Return the cells of one governor."""
    exits = row.exit_us
    return (
        printable(row.governor),
        percent(row.too_deep_share),
        percent(row.too_shallow_share),
        f"{exits.mean:.1f}",
        f"{exits.p50:g}",
        f"{exits.p99:g}",
        "n/a" if exits.per_s is None else f"{exits.per_s:,.0f}",
        *(percent(share) for share in row.residency.values()),
    )


def notes(result: SimulateResult) -> Iterator[str]:
    """Yield the meaning of the columns, and the agreement with the recorded kernel."""
    yield (
        "Too deep and too shallow: shares of entries, as the kernel's counters above and below. "
        "Exit: the delay of a wake-up; us/s: delay per second of the trace. Columns of states: "
        "shares of idle time, which stand in for energy."
    )
    yield from _column_notes(result)
    agreements = [(row.governor, row.agreement) for row in result.rows if row.agreement]
    if not agreements:
        return
    texts = [f"{name} {item.same:,} of {item.of:,}" for name, item in agreements]
    yield f"Chose the state that the recorded kernel entered: {', '.join(texts)}."
    if all(item.states_entered == 1 for _, item in agreements):
        yield "The trace has a single entered state, so this agreement means little."


def _column_notes(result: SimulateResult) -> Iterator[str]:
    """Yield which governors would have used columns that the trace does not have."""
    for column, source, meaning in (
        ("iowaiters", result.iowaiters, "no task waits for I/O"),
        ("load", result.load, "the load is 0"),
    ):
        users = [row.governor for row in result.rows if column in columns_used(row.governor)]
        if users and source == "assumed":
            yield f"The trace has no column {column}: for {', '.join(users)}, {meaning}."
