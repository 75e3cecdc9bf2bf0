"""The document of `cstates simulate`."""

from dataclasses import replace

import numpy as np

from cstates.simulation.governors import select_governors
from cstates.simulation.replay import SimulatedMachine, simulate
from cstates.simulation.trace import IdleTrace
from cstates.tables import load_table
from harness.cstates.simulate.result import SimulateResult, simulate_result
from stallscope.documents import decode, encode

TABLE = load_table("Z600")
IDLE_NS = np.array([250_000, 250_000, 900_000])
TRACE = IdleTrace(
    "made",
    np.zeros(3, int),
    np.array([0, 10**6, 2 * 10**6]),
    IDLE_NS,
    IDLE_NS * 9,
    None,
    None,
    None,
)


def result_of(trace: IdleTrace, machine: SimulatedMachine) -> SimulateResult:
    governors = simulate(trace, machine, select_governors(("pin:C1", "menu-6.18"), machine.table))
    return simulate_result(trace, machine, governors)


def test_each_governor_has_a_row_with_the_residency_of_every_state() -> None:
    result = result_of(TRACE, SimulatedMachine(TABLE))
    assert [row.governor for row in result.rows] == ["pin:C1", "menu-6.18"]
    assert result.rows[0].residency["C1"] == 1
    assert set(result.rows[0].residency) == {state.name for state in TABLE.states}
    assert decode(encode(result), SimulateResult, "simulate.json") == result


def test_columns_that_the_trace_lacks_are_assumed() -> None:
    result = result_of(TRACE, SimulatedMachine(TABLE))
    assert (result.tick, result.iowaiters, result.load) == ("modelled", "assumed", "assumed")
    assert result.rows[0].agreement is None
    known = replace(TRACE, io_waiters=np.zeros(3, int))
    assert result_of(known, SimulatedMachine(TABLE)).iowaiters == "trace"


def test_closed_states_are_named() -> None:
    result = result_of(TRACE, SimulatedMachine(TABLE, closed=frozenset({3, 2})))
    assert result.closed == (TABLE.states[2].name, TABLE.states[3].name)
