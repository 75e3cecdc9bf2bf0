"""Checks of limits for an ordinary user."""

from dataclasses import replace

from harness.doctor import permissions
from harness.machine_checks.check import Status
from tests.harness.doctor.user_machine import machine


def test_rings_are_compared_with_both_limits() -> None:
    base = machine()
    cpus = base.host.cpus_online
    needed_bytes = cpus * (permissions.RING_BYTES + permissions.PAGE_BYTES)
    per_user = cpus * 516 * 1024
    fits = replace(base, process=replace(base.process, memlock_bytes=needed_bytes - per_user))
    assert permissions.check_mlock(fits).status is Status.AVAILABLE
    short = replace(base, process=replace(base.process, memlock_bytes=needed_bytes - per_user - 1))
    assert permissions.check_mlock(short).status is Status.LIMITED
    enough = replace(short, kernel=replace(base.kernel, perf_event_mlock_kb=2052))
    assert permissions.check_mlock(short).remedy.endswith("perf_event_mlock_kb=2052")
    assert permissions.check_mlock(enough).status is Status.AVAILABLE
