"""Options of a simulation: the table, the intervals, the closed states."""

from pathlib import Path
from typing import Any

import pytest

from harness.cstates.simulate.options import SimulationOptions
from stallscope.errors import UsageError
from stallscope.system_files import Roots

DEFAULTS: dict[str, Any] = {
    "table": "intel_idle:nehalem_cstates",
    "trace": None,
    "workload": "request-reply:250us",
    "intervals": 100,
    "seed": 1,
    "governors": (),
    "disable": (),
    "max_exit_latency_us": None,
    "tick_hz": 250,
    "roots": Roots(),
}


def options(**values: object) -> SimulationOptions:
    return SimulationOptions(**(DEFAULTS | values))


def test_closed_states_and_limits_belong_to_the_machine() -> None:
    machine = options(disable=("C3",), max_exit_latency_us=20).machine()
    assert [machine.table.states[index].name for index in machine.closed] == ["C3"]
    assert (machine.latency_limit_us, machine.tick_hz) == (20, 250)


def test_generated_intervals_have_the_requested_number() -> None:
    assert options(intervals=123).idle_trace().idle_ns.size == 123


def test_all_governors_are_selected_by_default() -> None:
    machine = options().machine()
    assert len(options().selected_governors(machine)) > 3
    assert [g.name for g in options(governors=("ladder",)).selected_governors(machine)] == [
        "ladder"
    ]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"table": None}, "--table"),
        ({"workload": None}, "either --trace or --workload"),
        ({"trace": Path("idle.csv")}, "either --trace or --workload"),
        ({"disable": ("C99",)}, "C99"),
    ],
)
def test_incomplete_options_are_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        options(**values).machine()
