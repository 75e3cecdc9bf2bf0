"""Whether events can be opened, by settings and by test."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.machine_checks import events
from harness.machine_checks.check import Status
from harness.machine_checks.machine import CheckedMachine
from harness.machine_checks.probes import EventProbes, Probe
from stallscope.system_files import Roots
from tests.harness.doctor.user_machine import machine

REFUSED = Probe(ok=False, error="EACCES", detail="")
OPENED = Probe(ok=True, error="", detail="")


def tried(base: CheckedMachine, **results: Probe) -> CheckedMachine:
    named = {name.replace("_", "-"): probe for name, probe in results.items()}
    return replace(base, events=EventProbes(named))


@given(level=st.integers(-1, 4), privileged=st.booleans(), initial=st.booleans())
def test_settings_are_interpreted_like_the_kernel_does(
    level: int, privileged: bool, initial: bool
) -> None:
    base = machine()
    capabilities = frozenset({"CAP_PERFMON"} if privileged else set())
    it = replace(
        base,
        kernel=replace(base.kernel, perf_event_paranoid=level),
        process=replace(base.process, capabilities=capabilities, in_initial_user_namespace=initial),
    )
    free = privileged and initial
    assert (events.check_software_clock(it).status is Status.AVAILABLE) == (free or level <= 2)
    assert (events.check_kernel_profiling(it).status is Status.AVAILABLE) == (free or level <= 1)
    assert (events.check_system_wide(it).status is Status.AVAILABLE) == (free or level <= 0)
    assert (events.check_paranoid(it).status is Status.AVAILABLE) == (free or level <= 0)


def test_a_test_overrides_the_settings() -> None:
    it = tried(machine("intel-metal"), cpu_clock=OPENED, kernel=REFUSED, cpu_wide=OPENED)
    assert events.check_kernel_profiling(it).status is Status.UNAVAILABLE
    assert events.check_system_wide(it).status is Status.AVAILABLE
    user = tried(machine(), cpu_clock=OPENED, kernel=OPENED, cpu_wide=REFUSED)
    assert events.check_kernel_profiling(user).status is Status.AVAILABLE
    assert events.check_paranoid(user).status is Status.LIMITED
    privileged_machine = tried(machine(), cpu_clock=OPENED, kernel=OPENED, cpu_wide=OPENED)
    assert events.check_paranoid(privileged_machine).status is Status.AVAILABLE
    assert events.check_paranoid(privileged_machine).remedy == ""


@pytest.mark.parametrize(
    ("cycles", "instructions", "status"),
    [
        (OPENED, OPENED, Status.AVAILABLE),
        (OPENED, Probe(ok=False, error="ENOENT", detail=""), Status.LIMITED),
        (REFUSED, REFUSED, Status.LIMITED),
        (Probe(ok=False, error="ENOENT", detail=""), OPENED, Status.UNAVAILABLE),
    ],
)
def test_counters_are_judged_by_tests(cycles: Probe, instructions: Probe, status: Status) -> None:
    it = tried(machine(), cycles=cycles, instructions=instructions)
    assert events.check_pmu(it).status is status


def test_a_lowered_sample_rate_has_a_remedy() -> None:
    base = machine()
    it = replace(base, kernel=replace(base.kernel, perf_event_max_sample_rate_hz=500))
    check = events.check_software_clock(it)
    assert check.status is Status.LIMITED
    assert check.remedy == "sudo sysctl kernel.perf_event_max_sample_rate=100000"


def test_a_missing_collector_is_unavailable_on_a_live_machine() -> None:
    missing = EventProbes(missing="/x/stallscope-collect is missing")
    it = replace(machine(), roots=Roots(), events=missing)
    check = events.check_collector(it)
    assert check.status is Status.UNAVAILABLE
    assert "/x/stallscope-collect is missing" in check.detail
    assert "./dev build" in check.remedy


def test_features_that_an_older_kernel_lacks_are_named_with_the_first_that_has_them() -> None:
    unknown = Probe(ok=False, error="EINVAL", detail="")
    old = tried(machine(), cpu_clock=OPENED, build_id=unknown, format_lost=OPENED)
    check = events.check_collector(old)
    assert check.status is Status.LIMITED
    assert "does not record build ids of mapped files" in check.detail
    assert check.remedy == "boot Linux 5.12 or later"
    older = tried(machine(), build_id=unknown, format_lost=unknown)
    assert events.check_collector(older).remedy == "boot Linux 6.0 or later"
    refused = tried(machine(), build_id=REFUSED, format_lost=REFUSED)
    assert events.check_collector(refused).status is Status.AVAILABLE
