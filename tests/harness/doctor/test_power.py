"""Sleep states, frequency and clock of recorded machines."""

from pathlib import Path

import pytest

from harness.doctor.power import check_clocksource, check_cpufreq, check_cpuidle
from harness.machine_checks.check import Status
from tests.harness.doctor.machines import changed_machine, machine

CLOCK = "clocksource__clocksource0__current_clocksource"
CLOCKS = "clocksource__clocksource0__available_clocksource"


def test_bare_hardware_has_states_and_frequencies() -> None:
    metal = machine("intel-metal")
    assert check_cpuidle(metal).status is Status.AVAILABLE
    assert "governor" in check_cpuidle(metal).detail
    frequency = check_cpufreq(metal)
    assert frequency.status is Status.AVAILABLE
    assert frequency.detail.endswith("kHz")


def test_a_guest_without_frequency_control_is_measured_on_its_host() -> None:
    check = check_cpufreq(machine("vm-without-pmu"))
    assert check.status is Status.UNAVAILABLE
    assert "measure on the host" in check.remedy


def test_a_machine_without_an_idle_driver_has_a_remedy(tmp_path: Path) -> None:
    none = changed_machine(tmp_path, "intel-metal", cpu__cpuidle__current_driver="none")
    check = check_cpuidle(none)
    assert check.status is Status.UNAVAILABLE
    assert "C-states" in check.remedy


@pytest.mark.parametrize(
    ("clock", "others", "remedy"),
    [
        ("hpet", "tsc hpet acpi_pm", "current_clocksource"),
        ("acpi_pm", "hpet acpi_pm", "dmesg"),
    ],
)
def test_a_slow_clock_is_replaced_if_the_kernel_has_a_fast_one(
    tmp_path: Path, clock: str, others: str, remedy: str
) -> None:
    slow = changed_machine(tmp_path, "intel-metal", **{CLOCK: clock, CLOCKS: others})
    check = check_clocksource(slow)
    assert check.status is Status.LIMITED
    assert "costs a system call" in check.detail
    assert remedy in check.remedy


def test_a_fast_clock_is_available(tmp_path: Path) -> None:
    fast = changed_machine(tmp_path, "intel-metal", **{CLOCK: "tsc", CLOCKS: "tsc hpet"})
    assert check_clocksource(fast).status is Status.AVAILABLE
