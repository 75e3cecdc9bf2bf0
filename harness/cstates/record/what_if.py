"""Governors simulated on the idle intervals and states of a recording."""

from contextlib import suppress
from pathlib import Path

from markupsafe import Markup

from cstates.idle.recording import TRACE_FILE
from cstates.idle.run import IdleRun
from cstates.simulation.governors import select_governors
from cstates.simulation.replay import SimulatedMachine, simulate
from cstates.simulation.trace import read_trace
from cstates.tables.state_table import DeclaredState, StateTable, checked_table
from harness.cstates.record.analysis import idle_run
from harness.cstates.record.result import IdleResult
from harness.cstates.simulate.panel import simulated_panel
from harness.cstates.simulate.result import simulate_result
from stallscope.errors import UsageError


def what_if_panel(folder: Path, result: IdleResult) -> Markup:
    """Return the panel's markup; an empty text if nothing was traced or one state is declared."""
    table = _table(idle_run(result))
    if not result.intervals_kept or table is None or not (folder / TRACE_FILE).is_file():
        return Markup()
    trace = read_trace(folder / TRACE_FILE)
    machine = SimulatedMachine(table)
    governors = simulate(trace, machine, select_governors((), table))
    return simulated_panel(simulate_result(trace, machine, governors))


def _table(run: IdleRun) -> StateTable | None:
    """Return the declared states of the recorded CPUs; None if governors have no choice."""
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
