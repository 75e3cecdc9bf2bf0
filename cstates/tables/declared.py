"""A machine's own states as a table for simulating governors."""

from cstates.idle.states import CpuIdle, IdleMachine, read_idle_machine
from cstates.sysfs import online_cpus
from cstates.tables.state_table import DeclaredState, StateTable, checked_table
from stallscope.errors import UnableError
from stallscope.system_files import Roots

THIS_MACHINE = "this"  # the name of the machine's own table


def this_table(roots: Roots) -> StateTable:
    """Return the states of the first online CPU that has states; UnableError if there is none."""
    machine = read_idle_machine(roots, tuple(sorted(online_cpus(roots))))
    for cpu in machine.cpus:
        if cpu.states:
            return declared_table(machine, cpu)
    raise UnableError(
        f"this machine declares no states: {machine.missing or 'no CPU has sleep states'}",
        "name a known table: stallscope cstates simulate --list",
    )


def declared_table(machine: IdleMachine, cpu: CpuIdle) -> StateTable:
    """Return a CPU's declared states; disabled states are marked.

    Raises UnableError if a latency or residency cannot be read.
    """
    states = []
    for state in cpu.states:
        if state.exit_latency_us is None or state.target_residency_us is None:
            raise UnableError(
                f"CPU {cpu.cpu}: the latency or residency of {state.name} cannot be read",
                "name a known table: stallscope cstates simulate --list",
            )
        states.append(
            DeclaredState(
                name=state.name,
                description=state.description,
                exit_latency_us=state.exit_latency_us,
                target_residency_us=state.target_residency_us,
                enabled=not state.disabled,
            )
        )
    return checked_table(
        StateTable(f"CPU {cpu.cpu}", "", machine.driver or "", "sysfs", tuple(states))
    )
