"""A machine's own states as a table."""

from collections.abc import Callable

import pytest

from cstates.tables import load_table
from cstates.tables.declared import this_table
from stallscope.errors import UnableError
from stallscope.system_files import Roots

Machines = Callable[[str], Roots]


def test_a_machine_generated_from_a_table_declares_it(machine: Machines) -> None:
    table = this_table(machine("nehalem-ep-workstation"))
    assert table.states == load_table("Z600").states
    assert table.driver == "intel_idle"


def test_closed_states_are_marked(machine: Machines) -> None:
    table = this_table(machine("sapphire-rapids-server"))
    assert [state.enabled for state in table.states] == [True, True, False, True]


def test_machines_without_states_are_an_error(machine: Machines) -> None:
    with pytest.raises(UnableError, match="idle=poll"):
        this_table(machine("no-cpuidle"))


def test_unreadable_numbers_are_reported(machine: Machines) -> None:
    roots = machine("haltpoll-vm")
    (roots.sys / "devices/system/cpu/cpu0/cpuidle/state1/latency").unlink()
    with pytest.raises(UnableError, match="haltpoll idle cannot be read"):
        this_table(roots)
