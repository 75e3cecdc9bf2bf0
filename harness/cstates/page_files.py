"""Pages of sleep states, written to files."""

from collections.abc import Sequence
from pathlib import Path

from cstates.observation import Observation
from cstates.simulation.replay import Machine, SimulatedRow
from cstates.simulation.trace import Trace
from harness.cli.outputs import write_whole
from harness.cstates.page import render_cstates_page
from harness.cstates.panel import simulated_panel, states_panel
from stallscope.host import read_host
from stallscope.system_files import Roots


def write_states_page(path: Path, observation: Observation, roots: Roots) -> None:
    """Write the page of what a machine tells."""
    host = read_host(roots)
    facts = {"Host": host.hostname, "CPU": host.cpu_model, "Kernel": host.kernel_release}
    write_whole(
        path,
        [
            render_cstates_page(
                states_panel(observation), title=host.hostname, source="measured", host=facts
            )
        ],
    )


def write_simulated_page(
    path: Path, trace: Trace, machine: Machine, rows: Sequence[SimulatedRow]
) -> None:
    """Write the page of what governors would have chosen."""
    write_whole(
        path,
        [
            render_cstates_page(
                simulated_panel(trace, machine, rows),
                title=f"{trace.name} on {machine.table.name}",
                source="modelled",
                host={},
            )
        ],
    )
