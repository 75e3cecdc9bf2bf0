"""Governors and limits of the frequency that a pin sets."""

import pytest

from stallscope.errors import UnableError, UsageError
from tests.cstates.pinning.plans import CPUS, Fake, planned, written


def test_an_unknown_governor_lists_the_known_ones(fake: Fake) -> None:
    with pytest.raises(UsageError, match="'menu'") as refused:
        planned(fake, "ice-lake-server", governor="menu")
    assert "schedutil" in refused.value.remedy
    with pytest.raises(UsageError, match="'performance'") as refused:
        planned(fake, "ice-lake-server", idle_governor="performance")
    assert "teo" in refused.value.remedy


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


def test_boost_has_the_opposite_value_of_no_turbo(fake: Fake) -> None:
    assert written(planned(fake, "zen4-server", no_turbo=True)) == [("cpufreq/boost", "1", "0")]
    assert written(planned(fake, "skylake-client", no_turbo=True)) == [
        ("intel_pstate/no_turbo", "0", "1")
    ]
    assert not written(planned(fake, "sapphire-rapids-server", no_turbo=True))


def test_a_governor_name_with_a_slash_is_rejected(fake: Fake) -> None:
    """Otherwise files outside of the governor's folder would be journaled."""
    machine = fake("acpi-cpufreq-server")
    machine.write(f"{CPUS}/cpufreq/policy1/scaling_governor", "../../../kernel")
    with pytest.raises(UsageError, match="has no such frequency governor"):
        planned(fake, "acpi-cpufreq-server", cpus="1", governor="performance")


def test_the_governor_performance_sets_the_energy_preference(fake: Fake) -> None:
    machine = "sapphire-rapids-server"
    with pytest.raises(UnableError, match="sets the energy preference itself"):
        planned(fake, machine, governor="performance", energy_preference="power")
    own = planned(fake, machine, governor="performance", energy_preference="performance")
    assert "energy-preference" not in {item.knob for item in own.changes}
