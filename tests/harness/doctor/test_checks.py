"""Single checks on machines that differ in a single property."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.doctor import kernel, permissions
from harness.doctor.checks import FOR_PROFILES, first_remedy
from harness.doctor.result import DoctorResult
from harness.doctor.text import lines
from harness.machine_checks import events
from harness.machine_checks.check import Check, Status, available, limited, unavailable
from harness.machine_checks.machine import CheckedMachine, gather
from harness.machine_checks.probes import EventProbes, Probe
from stallscope.system_files import Roots

MACHINES = Path(__file__).parents[2] / "machines"
REFUSED = Probe(ok=False, error="EACCES", detail="")
OPENED = Probe(ok=True, error="", detail="")


def machine(name: str = "user-at-paranoid-2") -> CheckedMachine:
    return gather(Roots.recorded(MACHINES / name), Path("/nonexistent"))


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


def closing_lines(checks: list[Check]) -> list[str]:
    """Return the lines after the checks."""
    text = lines(DoctorResult(checks=tuple(checks)), 100)
    return text[text.index("") + 1 :]


def test_the_first_remedy_is_the_most_important_for_profiles() -> None:
    checks = [
        unavailable("tracefs", "x", "mount it"),
        limited("kernel-symbols", "x", "show them"),
        available("collector", "x", "not needed"),
    ]
    assert first_remedy(checks, FOR_PROFILES) == "show them"
    assert closing_lines(checks) == ["1 available, 1 limited, 1 unavailable", "Do first: show them"]
    assert closing_lines(checks[:1])[1:] == [
        "Ready for: stallscope profile -p PID",
        "For more: mount it",
    ]
    assert closing_lines([Check("pmu", Status.AVAILABLE, "x")])[1:] == [
        "Ready for: stallscope profile -p PID"
    ]
