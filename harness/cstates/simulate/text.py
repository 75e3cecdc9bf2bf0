"""`stallscope cstates simulate` for a terminal."""

from collections.abc import Iterator, Sequence

from cstates.simulation.replay import Machine, SimulatedRow
from cstates.simulation.trace import Trace
from harness.cli.table import columns
from harness.cli.terminal import percent, printable, wrapped

HEADS = ("Governor", "Too deep", "Too shallow", "Exit us: mean", "p50", "p99", "us/s")


def lines(trace: Trace, machine: Machine, rows: Sequence[SimulatedRow], room: int) -> Iterator[str]:
    """Yield the lines of the comparison."""
    yield from wrapped(title(trace, machine), room)
    yield ""
    yield from columns([heads(machine), *(cells(row) for row in rows)])
    yield ""
    for text in notes(rows):
        yield from wrapped(text, room)


def title(trace: Trace, machine: Machine) -> str:
    """Return what was replayed."""
    return printable(
        f"{trace.idle_ns.size:,} idle intervals of {trace.name} on the states of "
        f"{machine.table.name}: modelled, with exit latencies as declared."
    )


def heads(machine: Machine) -> tuple[str, ...]:
    """Return the columns' heads: a state's name each at the end."""
    return (*HEADS, *(printable(state.name) for state in machine.table.states))


def cells(row: SimulatedRow) -> tuple[str, ...]:
    """Return one governor's cells."""
    per_s = "n/a" if row.exit_us_per_s is None else f"{row.exit_us_per_s:,.0f}"
    return (
        printable(row.governor.name),
        percent(row.too_deep_share),
        percent(row.too_shallow_share),
        f"{row.exit_mean_us:.1f}",
        f"{row.exit_p50_us:g}",
        f"{row.exit_p99_us:g}",
        per_s,
        *(percent(share) for share in row.residency.values()),
    )


def notes(rows: Sequence[SimulatedRow]) -> Iterator[str]:
    """Yield what the columns mean, and how often governors chose as the recorded kernel did."""
    yield (
        "Too deep and too shallow: of entries, as the kernel counts above and below. Exit: what a "
        "wake-up waits for; us/s: of each second of the trace. Under a state's name: its share of "
        "idle time, which stands in for energy."
    )
    told = [(row.governor.name, row.agreement) for row in rows if row.agreement]
    if not told:
        return
    texts = [f"{name} {found.same:,} of {found.of:,}" for name, found in told]
    yield f"Chose what the recorded kernel entered: {', '.join(texts)}."
    if all(found.states_entered == 1 for _, found in told):
        yield "The trace entered a single state only, so that agreement says little."
