"""Checks of the kernel's settings."""

from dataclasses import replace

import pytest

from harness.doctor import kernel
from harness.machine_checks.check import Status
from tests.harness.doctor.user_machine import machine


@pytest.mark.parametrize(
    ("error", "switch", "status"),
    [
        ("EFAULT", 0, Status.AVAILABLE),
        ("EFAULT", None, Status.AVAILABLE),
        ("EFAULT", 1, Status.LIMITED),
        ("EPERM", 2, Status.UNAVAILABLE),
        ("EPERM", 0, Status.UNAVAILABLE),
        ("ENOSYS", None, Status.UNAVAILABLE),
        (None, 2, Status.UNAVAILABLE),
        (None, 0, Status.AVAILABLE),
    ],
)
def test_io_uring(error: str | None, switch: int | None, status: Status) -> None:
    base = machine()
    it = replace(base, io_uring_error=error, kernel=replace(base.kernel, io_uring_disabled=switch))
    assert kernel.check_io_uring(it).status is status


@pytest.mark.parametrize(
    ("capabilities", "restrict", "remedy"),
    [
        (set(), 0, "sudo sysctl kernel.perf_event_paranoid=1"),
        (set(), 1, "sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1"),
        ({"CAP_SYSLOG"}, 2, "sudo sysctl kernel.kptr_restrict=1"),
    ],
)
def test_hidden_kernel_addresses_have_a_remedy(
    capabilities: set[str], restrict: int, remedy: str
) -> None:
    base = machine()
    it = replace(
        base,
        kernel=replace(base.kernel, kptr_restrict=restrict),
        process=replace(base.process, capabilities=frozenset(capabilities)),
    )
    check = kernel.check_kernel_symbols(it)
    assert check.status is Status.UNAVAILABLE
    assert check.remedy == remedy
