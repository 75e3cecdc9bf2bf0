"""Which sleep states a pin closes, and how."""

import pytest

from cstates.pinning.knobs import Scope
from cstates.pinning.plan import make_plan
from cstates.pinning.request import PinRequest
from stallscope.errors import UnableError, UsageError
from tests.cstates.pinning.plans import CPUS, Fake, planned, written


def test_named_states_stay_open_on_the_commands_cpus_and_siblings(fake: Fake) -> None:
    plan = planned(fake, "ice-lake-server", states=("C1",), cpus="1")
    assert plan.targets.capped == (1, 3)
    closed = [
        (f"cpu{cpu}/cpuidle/state{index}/disable", "0", "1") for cpu in (1, 3) for index in (2, 3)
    ]
    assert written(plan)[1:] == closed
    assert plan.changes[0].scope is Scope.PROCESS


def test_poll_is_never_closed(fake: Fake) -> None:
    plan = planned(fake, "skylake-client", states=("C1",))
    assert all(item.name != "POLL" for item in plan.closed)
    assert not [item for item in plan.changes if "state0" in item.path]


def test_a_named_state_is_opened_if_it_was_closed(fake: Fake) -> None:
    plan = planned(fake, "offline-cpus", states=("C1", "C6"), cpus="2")
    assert ("cpu2/cpuidle/state3/disable", "1", "0") in written(plan) or (
        "cpu2/cpuidle/state2/disable", "1", "0") in written(plan)  # fmt: skip


def test_an_unknown_state_lists_the_known_ones(fake: Fake) -> None:
    with pytest.raises(UsageError, match="'C9'") as refused:
        planned(fake, "ice-lake-server", states=("C9",))
    assert "C1" in refused.value.remedy


def test_a_limit_of_all_cpus_is_held_by_a_descriptor(fake: Fake) -> None:
    plan = planned(fake, "skylake-client", max_exit_latency_us=10)
    assert (plan.held_us, plan.journaled) == (10, ())
    assert [(item.path, item.new, item.scope) for item in plan.changes] == [
        ("/dev/cpu_dma_latency", "10", Scope.DESCRIPTOR)
    ]


@pytest.mark.parametrize(("limit", "text"), [(10, "10"), (0, "n/a")])
def test_a_limit_of_some_cpus_is_their_own(fake: Fake, limit: int, text: str) -> None:
    plan = planned(fake, "skylake-client", max_exit_latency_us=limit, cpus="1")
    assert plan.held_us is None
    assert written(plan)[1:] == [
        (f"cpu{cpu}/power/pm_qos_resume_latency_us", "0", text) for cpu in (1, 3)
    ]


def test_haltpoll_is_known_to_ignore_disable(fake: Fake) -> None:
    machine = fake("haltpoll-vm")
    request = PinRequest(states=("POLL",))
    plain = make_plan(machine.roots, request)
    assert "ignores closed states" in plain.warnings[0]
    forced = make_plan(machine.roots, PinRequest(states=("POLL",), force_effective=True))
    assert (forced.held_us, forced.journaled, forced.warnings) == (0, (), ())
    # haltpoll also ignores a limit other than 0; only another governor obeys it.
    limit = make_plan(machine.roots, PinRequest(max_exit_latency_us=1, force_effective=True))
    assert ("cpuidle/current_governor", "haltpoll", "menu") in written(limit)


def test_under_ladder_a_limit_closes_the_same_states(fake: Fake) -> None:
    machine = fake("skylake-client")
    machine.write(f"{CPUS}/cpuidle/current_governor", "ladder")
    plan = make_plan(machine.roots, PinRequest(states=("C1",), force_effective=True))
    assert plan.held_us == 2
    assert not plan.journaled


def test_force_effective_fails_without_an_alternative(fake: Fake) -> None:
    machine = fake("haltpoll-vm")
    machine.write(f"{CPUS}/cpuidle/available_governors", "haltpoll")
    with pytest.raises(UnableError, match="no alternative"):
        make_plan(machine.roots, PinRequest(max_exit_latency_us=1, force_effective=True))


def test_a_stricter_limit_of_a_cpu_stays(fake: Fake) -> None:
    machine = fake("skylake-client")
    machine.write(f"{CPUS}/cpu1/power/pm_qos_resume_latency_us", "5")
    plan = planned(fake, "skylake-client", max_exit_latency_us=100, cpus="1")
    assert written(plan)[1:] == [("cpu3/power/pm_qos_resume_latency_us", "0", "100")]
    machine.write(f"{CPUS}/cpu1/power/pm_qos_resume_latency_us", "n/a")
    assert (
        planned(fake, "skylake-client", max_exit_latency_us=100, cpus="1").changes[1:]
        == (plan.changes[1:])
    )


def test_a_state_closed_by_a_limit_gives_a_warning(fake: Fake) -> None:
    """tuned holds a limit of 100 us on this machine, and C6 has 170 us."""
    warned = planned(fake, "ice-lake-server", states=("C1", "C6")).warnings
    assert [item[:20] for item in warned if "entered" in item] == ["C6 cannot be entered"]
    shallow = planned(fake, "ice-lake-server", states=("C1",)).warnings
    assert not [item for item in shallow if "entered" in item]
