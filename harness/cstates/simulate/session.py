"""A run of `stallscope cstates simulate`."""

from collections.abc import Iterator

from cstates.simulation.governors import GOVERNORS
from cstates.simulation.replay import simulate
from cstates.tables import known_table_names, load_table
from harness.cstates.simulate.options import SimulationOptions
from harness.cstates.simulate.result import SimulateResult, simulate_result


def run_simulation(options: SimulationOptions) -> SimulateResult:
    """Return the result; UsageError or RecordingError if an option is invalid."""
    machine = options.machine()
    governors = options.selected_governors(machine)
    trace = options.idle_trace()
    return simulate_result(trace, machine, simulate(trace, machine, governors))


def list_lines() -> Iterator[str]:
    """Yield the known tables with their states, and the governors with their rules."""
    yield "Tables (by name, or by the part after the colon; `this` is this machine's own):"
    for name in known_table_names():
        states = " ".join(state.name.replace(" ", "_") for state in load_table(name).states)
        yield f"  {name:32} {states}"
    yield ""
    yield "Governors:"
    for governor in GOVERNORS:
        yield f"  {governor.name:10} {governor.rules}"
    yield "  pin:STATE  always that state, as pin:C1; pin:10us: the deepest that wakes within 10 us"
