"""What lies between a process and the hardware."""

from harness.doctor.environment import check_virtualization
from harness.machine_checks.check import Status
from tests.harness.doctor.machines import machine


def test_bare_hardware_is_available() -> None:
    check = check_virtualization(machine("intel-metal"))
    assert (check.status, check.detail) == (Status.AVAILABLE, "none detected: bare hardware")


def test_a_guest_is_limited_and_names_its_hypervisor() -> None:
    check = check_virtualization(machine("vm-without-pmu"))
    assert check.status is Status.LIMITED
    assert check.detail.startswith("guest of kvm: ")


def test_a_container_sees_its_own_processes_only() -> None:
    check = check_virtualization(machine("container"))
    assert check.status is Status.LIMITED
    assert "only its own processes are visible" in check.detail
    assert "--pid=host" in check.remedy
