"""What `stallscope cstates simulate` was asked, checked, and what it then found."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cstates.simulation.governors import KNOWN, chosen_governors
from cstates.simulation.replay import Machine, SimulatedRow, simulate
from cstates.simulation.trace import Trace, read_trace
from cstates.simulation.workloads import make_trace, parse_workload
from cstates.tables import known_table_names, load_table
from cstates.tables.declared import OWN, own_table
from harness.cstates.simulate import document as simulate_document
from harness.cstates.simulate import text as simulate_table
from stallscope.errors import UsageError
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class Request:
    """The options as they were given."""

    table: str | None
    trace: Path | None
    workload: str | None
    intervals: int
    seed: int
    governors: tuple[str, ...]
    disable: tuple[str, ...]
    max_exit_latency_us: int | None
    tick_hz: int
    roots: Roots  # of the machine that `this` table is of


@dataclass(frozen=True, slots=True)
class Outcome:
    """The rows and what they are of."""

    trace: Trace
    machine: Machine
    rows: tuple[SimulatedRow, ...]

    def document(self) -> dict[str, object]:
        """Return what --json prints."""
        return simulate_document.document(self.trace, self.machine, self.rows)

    def lines(self, room: int) -> Iterator[str]:
        """Yield what a terminal shows."""
        return simulate_table.lines(self.trace, self.machine, self.rows, room)


def run(request: Request) -> Outcome:
    """Return what the governors did; UsageError or RecordingError where the request is none."""
    if request.table is None:
        raise UsageError(
            "name the CPU's states with --table", "stallscope cstates simulate --list names them"
        )
    if (request.trace is None) == (request.workload is None):
        raise UsageError(
            "name either --trace or --workload", "for example --workload request-reply:250us"
        )
    table = own_table(request.roots) if request.table == OWN else load_table(request.table)
    machine = Machine(
        table=table,
        closed=frozenset(table.index_of(name) for name in request.disable),
        latency_limit_us=request.max_exit_latency_us,
        tick_hz=request.tick_hz,
    )
    governors = chosen_governors(request.governors, table)
    trace = _intervals(request)
    return Outcome(trace, machine, tuple(simulate(trace, machine, governors)))


def _intervals(request: Request) -> Trace:
    if request.trace is not None:
        return read_trace(request.trace)
    return make_trace(
        parse_workload(request.workload or "", intervals=request.intervals, seed=request.seed)
    )


def listed() -> Iterator[str]:
    """Yield the known tables with their states, and the governors with their rules."""
    yield "Tables (name, or what follows its colon; `this` is this machine's own):"
    for name in known_table_names():
        states = " ".join(state.name.replace(" ", "_") for state in load_table(name).states)
        yield f"  {name:32} {states}"
    yield ""
    yield "Governors:"
    for governor in KNOWN:
        yield f"  {governor.name:10} {governor.rules}"
    yield "  pin:STATE  always that state, as pin:C1; pin:10us: the deepest that wakes within 10 us"
