"""What governors would have made of a recording's own idle intervals, on its own states."""

from contextlib import suppress
from pathlib import Path

from cstates.idle.recording import TRACE
from cstates.idle.run import IdleRun
from cstates.simulation.governors import chosen_governors
from cstates.simulation.replay import Machine, simulate
from cstates.simulation.trace import read_trace
from cstates.tables.state_table import DeclaredState, StateTable, checked_table
from harness.cstates.panel import simulated_panel
from stallscope.errors import UsageError


def what_if_panel(folder: Path, run: IdleRun) -> str:
    """Return the panel's markup; nothing where no interval was traced or one state is declared."""
    table = _table(run)
    if not run.intervals_kept or table is None or not (folder / TRACE).is_file():
        return ""
    trace = read_trace(folder / TRACE)
    machine = Machine(table)
    return simulated_panel(trace, machine, simulate(trace, machine, chosen_governors((), table)))


def _table(run: IdleRun) -> StateTable | None:
    """Return the states as the recorded CPUs declared them; None where none can be chosen of."""
    states = [
        DeclaredState(
            name=state.name,
            description="",
            exit_latency_us=state.exit_latency_us,
            target_residency_us=state.target_residency_us,
            enabled=state.closed_by is None,
        )
        for state in run.states
        if state.exit_latency_us is not None and state.target_residency_us is not None
    ]
    if len(states) < 2 or len(states) < len(run.states):
        return None
    table = StateTable("the recorded CPUs", "", run.driver or "", "recording", tuple(states))
    with suppress(UsageError):
        return checked_table(table)
    return None
