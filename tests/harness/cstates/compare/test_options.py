"""The options of --load, and the load they describe."""

import pytest

from harness.cstates.compare.options import LoadOptionValues, connection_counts, cpus_of
from harness.cstates.compare.subject import LoadPlan
from harness.workload.cores import Cores
from harness.workload.machine import LabMachine, NumaNode
from stallscope.errors import UsageError


def plan_on(
    monkeypatch: pytest.MonkeyPatch, cpus: tuple[int, ...], values: LoadOptionValues
) -> LoadPlan:
    """Return the plan on a machine with these usable CPUs."""
    machine = LabMachine(cpus, (NumaNode(0, cpus, True),), (), 2**30)
    cores = Cores(cpus[1], cpus[0], False, "", None)
    monkeypatch.setattr("harness.cstates.compare.options.usable_cpus", lambda _: frozenset(cpus))
    monkeypatch.setattr("harness.cstates.compare.options.read_machine", lambda *_: machine)
    monkeypatch.setattr("harness.cstates.compare.options.two_cores", lambda *_: cores)
    return values.plan(None)


def test_the_default_is_an_open_loop_of_two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_on(monkeypatch, (0, 1, 2), LoadOptionValues())
    assert (plan.rate_per_s, plan.seconds, plan.warmup_s) == (1000, 1, 0.2)
    assert (plan.connections, plan.processes, cpus_of(plan)) == ((4,), 2, "0-1")


def test_three_processes_have_a_cpu_each_if_there_are_three(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = plan_on(monkeypatch, (0, 2, 4, 6), LoadOptionValues(processes="3", loop="closed"))
    assert (plan.loader_cpu, plan.front_end_cpu, plan.server_cpu) == (0, 2, 4)
    assert plan.rate_per_s is None


def test_on_two_cpus_neighbours_in_the_chain_are_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_on(monkeypatch, (0, 1), LoadOptionValues(processes="3"))
    assert (plan.loader_cpu, plan.front_end_cpu, plan.server_cpu) == (0, 1, 0)
    assert len(plan.cpus) < plan.processes


def test_numbers_of_connections_are_in_order_and_occur_once() -> None:
    assert connection_counts("16,1,16,2") == (16, 1, 2)


@pytest.mark.parametrize("text", ["", "0", "1,", "-1", "1.5", "10001", "999999", "²", "x" * 200])
def test_an_invalid_list_of_connections_is_rejected(text: str) -> None:
    with pytest.raises(UsageError, match="is not a list of numbers from 1 to 10000"):
        connection_counts(text)


def test_options_of_a_load_need_a_load() -> None:
    LoadOptionValues().check_absent()
    with pytest.raises(UsageError, match="--warmup needs --load"):
        LoadOptionValues(warmup=0.0).check_absent()
