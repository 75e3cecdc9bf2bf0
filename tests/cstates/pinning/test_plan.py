"""The plans of requests on generated machines: files, values, order."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from cstates.pinning.knobs import KNOBS, Scope
from cstates.pinning.plan import PinPlan, make_plan
from cstates.pinning.request import PinRequest, bench_profile
from cstates.pinning.session import pinned_khz
from stallscope.errors import UnableError, UsageError
from tests.cstates.machine_trees import names
from tests.cstates.pinning.conftest import FakeMachine

Fake = Callable[[str], FakeMachine]
CPUS = "/sys/devices/system/cpu"


def planned(fake: Fake, machine: str, **request: object) -> PinPlan:
    return make_plan(fake(machine).roots, PinRequest(**request))


def written(plan: PinPlan) -> list[tuple[str, str, str | None]]:
    return [(item.path.removeprefix(f"{CPUS}/"), item.old, item.new) for item in plan.changes]


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


def test_an_unknown_governor_lists_the_known_ones(fake: Fake) -> None:
    with pytest.raises(UsageError, match="'menu'") as refused:
        planned(fake, "ice-lake-server", governor="menu")
    assert "schedutil" in refused.value.remedy
    with pytest.raises(UsageError, match="'performance'") as refused:
        planned(fake, "ice-lake-server", idle_governor="performance")
    assert "teo" in refused.value.remedy


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


@pytest.mark.parametrize(
    ("khz", "order"),
    [("1000000", ["scaling_min_freq", "scaling_max_freq"]), ("3000000", ["scaling_max_freq", "scaling_min_freq"])],
)  # fmt: skip
def test_the_maximum_is_raised_first_and_the_minimum_lowered_first(
    fake: Fake, khz: str, order: list[str]
) -> None:
    plan = planned(fake, "sapphire-rapids-server", frequency=khz, cpus="0", nice=None)
    paths = [item.path for item in plan.journaled if "policy0" in item.path]
    assert [path.rpartition("/")[2] for path in paths] == order


def test_an_unknown_base_frequency_is_an_error_with_a_remedy(fake: Fake) -> None:
    with pytest.raises(UnableError, match="does not report the base frequency") as refused:
        planned(fake, "nehalem-ep-workstation", frequency="base")
    assert "--frequency KHZ" in refused.value.remedy


def test_a_shared_policy_is_set_once(fake: Fake) -> None:
    plan = planned(fake, "acpi-cpufreq-server", cpus="1", governor="performance")
    (change,) = [item for item in plan.changes if item.knob == "governor"]
    assert change.path == f"{CPUS}/cpufreq/policy1/scaling_governor"
    kept = {item.path.rpartition("/")[2] for item in plan.journaled if item.new is None}
    assert kept == {"io_is_busy", "sampling_rate", "up_threshold"}


def test_cpus_that_share_a_pinned_policy_give_a_warning(fake: Fake) -> None:
    machine = fake("acpi-cpufreq-server")
    own = planned(fake, "acpi-cpufreq-server", cpus="1", governor="performance")
    assert own.targets.capped == (1, 3)
    assert not own.warnings  # the policy is of the core alone
    machine.write(f"{CPUS}/cpufreq/policy1/affected_cpus", "1 2 3")
    machine.write(f"{CPUS}/cpufreq/policy1/related_cpus", "0 1 2 3")
    (warned,) = planned(fake, "acpi-cpufreq-server", cpus="1", governor="performance").warnings
    assert warned.startswith("CPUs 0,2 are not pinned")
    assert "(policy1)" in warned
    # Settings of all CPUs, sleep states and unchanged governors concern no policy.
    for request in ({"no_turbo": True}, {"states": ("C1",)}, {"governor": "ondemand"}):
        assert not planned(fake, "acpi-cpufreq-server", cpus="1", **request).warnings


def test_a_plan_without_files_has_no_warnings_about_files(fake: Fake) -> None:
    whole = planned(fake, "offline-cpus", states=("C1",), cpus="0,1", aslr_off=True)
    whole = replace(whole, file_warnings=("a daemon may override this",))
    part = whole.without(frozenset({Scope.SYSFS}))
    assert part.warnings == ("CPUs 1 are offline and not used",)


def test_boost_has_the_opposite_value_of_no_turbo(fake: Fake) -> None:
    assert written(planned(fake, "zen4-server", no_turbo=True)) == [("cpufreq/boost", "1", "0")]
    assert written(planned(fake, "skylake-client", no_turbo=True)) == [
        ("intel_pstate/no_turbo", "0", "1")
    ]
    assert not written(planned(fake, "sapphire-rapids-server", no_turbo=True))


def test_interrupts_move_to_the_other_cpus(fake: Fake) -> None:
    plan = planned(fake, "ice-lake-server", irq_away=True, cpus="0")
    assert ("/proc/irq/24/smp_affinity_list", "0-3", "1,3") in written(plan)
    with pytest.raises(UnableError, match="no CPU is left for interrupts"):
        planned(fake, "ice-lake-server", irq_away=True)


def test_idle_siblings_leave_one_cpu_per_core(fake: Fake) -> None:
    plan = planned(fake, "ice-lake-server", smt_siblings_idle=True)
    assert plan.targets.command == (0, 1)


def test_an_offline_cpu_gives_a_warning(fake: Fake) -> None:
    plan = planned(fake, "offline-cpus", states=("C1",), cpus="0,1")
    assert plan.targets.command == (0,)
    assert plan.command_warnings == ("CPUs 1 are offline and not used",)
    with pytest.raises(UsageError, match="none of these CPUs is online"):
        planned(fake, "offline-cpus", states=("C1",), cpus="1")


def test_conflicting_daemons_are_named(fake: Fake) -> None:
    plan = planned(fake, "ice-lake-server", states=("C1",))
    assert any("tuned (process 812)" in item for item in plan.warnings)


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


@pytest.mark.parametrize("machine", names())
def test_the_profile_has_a_plan_on_every_machine(fake: Fake, machine: str) -> None:
    """Missing settings are skipped, the others are in the order of the table."""
    plan = make_plan(fake(machine).roots, bench_profile(PinRequest()))
    order = list(KNOBS)
    ranks = [order.index(item.knob.replace("min-f", "max-f")) for item in plan.changes]
    assert ranks == sorted(ranks)
    scopes = [list(Scope).index(item.scope) for item in plan.changes]
    assert scopes == sorted(scopes)
    assert all(item.old != item.new for item in plan.changes)
    assert plan.changes


def test_options_take_precedence_over_the_profile() -> None:
    request = bench_profile(PinRequest(states=("C6",), frequency="max"))
    assert (request.states, request.frequency, request.no_turbo) == (("C6",), "max", True)


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


@pytest.mark.parametrize("number", ["9" * 5000, "\u0663", "-1", "1e6"])
def test_invalid_numbers_are_rejected(fake: Fake, number: str) -> None:
    with pytest.raises(UsageError, match="is not a frequency of policy0"):
        planned(fake, "ice-lake-server", frequency=number)
    with pytest.raises(UsageError, match="is not an energy bias"):
        planned(fake, "ice-lake-server", energy_bias=number)


def test_a_governor_name_with_a_slash_is_rejected(fake: Fake) -> None:
    """Otherwise files outside of the governor's folder would be journaled."""
    machine = fake("acpi-cpufreq-server")
    machine.write(f"{CPUS}/cpufreq/policy1/scaling_governor", "../../../kernel")
    with pytest.raises(UsageError, match="has no such frequency governor"):
        planned(fake, "acpi-cpufreq-server", cpus="1", governor="performance")


def test_the_frequency_is_watched_if_only_one_limit_changes(fake: Fake) -> None:
    machine = fake("acpi-cpufreq-server")
    machine.write(f"{CPUS}/cpufreq/policy1/scaling_max_freq", "2000000")
    plan = planned(fake, "acpi-cpufreq-server", cpus="1", frequency="2000000")
    assert [item.knob for item in plan.journaled] == ["min-frequency"]
    assert pinned_khz(plan) == 2_000_000


def test_a_state_closed_by_a_limit_gives_a_warning(fake: Fake) -> None:
    """tuned holds a limit of 100 us on this machine, and C6 has 170 us."""
    warned = planned(fake, "ice-lake-server", states=("C1", "C6")).warnings
    assert [item[:20] for item in warned if "entered" in item] == ["C6 cannot be entered"]
    shallow = planned(fake, "ice-lake-server", states=("C1",)).warnings
    assert not [item for item in shallow if "entered" in item]


def test_the_governor_performance_sets_the_energy_preference(fake: Fake) -> None:
    machine = "sapphire-rapids-server"
    with pytest.raises(UnableError, match="sets the energy preference itself"):
        planned(fake, machine, governor="performance", energy_preference="power")
    own = planned(fake, machine, governor="performance", energy_preference="performance")
    assert "energy-preference" not in {item.knob for item in own.changes}
