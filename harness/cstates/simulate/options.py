"""The options of `stallscope cstates simulate`."""

from dataclasses import dataclass
from pathlib import Path

from cstates.simulation.governors import SimulatedGovernor, select_governors
from cstates.simulation.replay import SimulatedMachine
from cstates.simulation.trace import IdleTrace, read_trace
from cstates.simulation.workloads import generate_trace, parse_workload
from cstates.tables import load_table
from cstates.tables.declared import THIS_MACHINE, this_table
from stallscope.errors import UsageError
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class SimulationOptions:
    """Names and limits as on the command line; their methods check them."""

    table: str | None
    trace: Path | None
    workload: str | None
    intervals: int
    seed: int
    governors: tuple[str, ...]
    disable: tuple[str, ...]
    max_exit_latency_us: int | None
    tick_hz: int
    roots: Roots  # of the machine with the table `this`

    def machine(self) -> SimulatedMachine:
        """Return the states and limits; UsageError for an unknown table or state."""
        if self.table is None:
            raise UsageError(
                "name the CPU's states with --table",
                "list the tables with: stallscope cstates simulate --list",
            )
        if (self.trace is None) == (self.workload is None):
            raise UsageError(
                "name either --trace or --workload", "for example --workload request-reply:250us"
            )
        table = this_table(self.roots) if self.table == THIS_MACHINE else load_table(self.table)
        return SimulatedMachine(
            table=table,
            closed=frozenset(table.index_of(name) for name in self.disable),
            latency_limit_us=self.max_exit_latency_us,
            tick_hz=self.tick_hz,
        )

    def selected_governors(self, machine: SimulatedMachine) -> tuple[SimulatedGovernor, ...]:
        """Return the governors; UsageError for an unknown name."""
        return select_governors(self.governors, machine.table)

    def idle_trace(self) -> IdleTrace:
        """Return the recorded or generated intervals."""
        if self.trace is not None:
            return read_trace(self.trace)
        return generate_trace(
            parse_workload(self.workload or "", intervals=self.intervals, seed=self.seed)
        )
