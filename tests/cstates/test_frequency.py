"""Frequency drivers in generated trees, as guests have no cpufreq."""

from collections.abc import Callable

from cstates.frequency import Frequency, Turbo, read_frequency
from cstates.sysfs import present_cpus
from stallscope.system_files import Roots

Machines = Callable[[str], Roots]


def read(roots: Roots) -> Frequency:
    return read_frequency(roots, present_cpus(roots))


def test_intel_pstate_active(machine: Machines) -> None:
    result = read(machine("skylake-client"))
    policy = result.policy_of(3)
    assert policy is not None
    assert (policy.name, policy.cpus) == ("policy3", (3,))
    assert (policy.driver, policy.governor) == ("intel_pstate", "powersave")
    assert (policy.min_khz, policy.max_khz, policy.base_khz) == (400_000, 3_400_000, 2_800_000)
    assert policy.energy_preference == "balance_performance"
    assert result.driver_status == "intel_pstate active"
    assert result.turbo == Turbo(True, "intel_pstate/no_turbo")
    assert result.energy_bias == {0: 6, 1: 6, 2: 6, 3: 6}
    assert result.smt == "on"


def test_intel_pstate_with_turbo_off_and_a_limit(machine: Machines) -> None:
    result = read(machine("sapphire-rapids-server"))
    assert result.turbo == Turbo(False, "intel_pstate/no_turbo")
    policy = result.policies[0]
    assert (policy.max_khz, policy.hardware_max_khz) == (2_000_000, 3_800_000)


def test_intel_pstate_passive(machine: Machines) -> None:
    result = read(machine("ice-lake-server"))
    assert result.driver_status == "intel_pstate passive"
    assert result.policies[0].driver == "intel_cpufreq"
    assert "schedutil" in result.policies[0].available_governors


def test_intel_pstate_without_hwp_has_neither_base_nor_preference(machine: Machines) -> None:
    result = read(machine("intel-pstate-server"))
    assert result.driver_status == "intel_pstate active"
    assert result.policies[0].base_khz is None
    assert result.policies[0].energy_preference is None
    assert result.energy_bias[3] == 7


def test_amd_pstate_guided_has_governors_and_no_preference(machine: Machines) -> None:
    result = read(machine("amd-pstate-server"))
    policy = result.policies[0]
    assert result.driver_status == "amd_pstate guided"
    assert (policy.driver, policy.governor) == ("amd-pstate", "schedutil")
    assert (policy.base_khz, policy.energy_preference) == (3_250_000, None)
    assert result.turbo == Turbo(False, "cpufreq/boost")


def test_acpi_cpufreq_shares_a_policy_between_siblings(machine: Machines) -> None:
    result = read(machine("acpi-cpufreq-server"))
    assert [policy.cpus for policy in result.policies] == [(0, 2), (1, 3)]
    assert result.policy_of(3) == result.policies[1]
    assert result.policies[0].base_khz == 2_250_000


def test_amd_pstate_has_its_base_frequency_from_cppc(machine: Machines) -> None:
    result = read(machine("zen4-server"))
    assert result.driver_status == "amd_pstate active"
    assert result.turbo == Turbo(True, "cpufreq/boost")
    assert result.policies[0].base_khz == 3_250_000
    assert result.energy_bias == {}


def test_acpi_cpufreq(machine: Machines) -> None:
    result = read(machine("nehalem-ep-workstation"))
    assert result.driver_status is None
    assert result.policies[0].driver == "acpi-cpufreq"
    assert result.policies[0].base_khz is None
    assert result.policies[0].energy_preference is None


def test_no_frequency_control(machine: Machines) -> None:
    result = read(machine("haltpoll-vm"))
    assert result.policies == ()
    assert result.missing is not None
    assert result.turbo is None
    assert result.policy_of(0) is None


def test_a_policy_of_several_cpus_with_invalid_numbers(machine: Machines) -> None:
    roots = machine("nehalem-ep-workstation")
    folder = roots.sys / "devices/system/cpu/cpufreq/policy0"
    (folder / "affected_cpus").write_text("0 1\n")
    (folder / "scaling_max_freq").write_text("-1\n")
    (folder / "scaling_min_freq").write_text("<unknown>\n")
    policy = read_frequency(roots, (1,)).policies[0]
    assert policy.cpus == (0, 1)
    assert policy.max_khz is None
    assert policy.min_khz is None
