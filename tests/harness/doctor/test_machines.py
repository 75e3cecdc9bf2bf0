"""Doctor on recorded machines, with a golden file per machine."""

import pytest

from harness.doctor.checks import CHECKS, run_checks
from harness.machine_checks.machine import gather
from stallscope.system_files import Roots
from tests.harness.doctor.recorded import MACHINES, NAMES, NO_COLLECTOR, remedies, statuses


@pytest.mark.parametrize("name", NAMES)
def test_every_check_has_a_unique_name_and_details(name: str) -> None:
    checks = run_checks(gather(Roots.recorded(MACHINES / name), NO_COLLECTOR))
    assert len({check.name for check in checks}) == len(CHECKS)
    assert all(check.detail for check in checks)


def test_machines_differ_by_their_counters() -> None:
    assert statuses("intel-metal")["pmu"] == "available"
    assert statuses("amd-metal")["pmu"] == "available"
    assert statuses("arm64-guest")["pmu"] == "available"
    assert statuses("vm-without-pmu")["pmu"] == "unavailable"
    assert "pmu=on" in remedies("vm-without-pmu")["pmu"]


@pytest.mark.parametrize(
    ("level", "sampling"), [(2, "available"), (3, "unavailable"), (4, "unavailable")]
)
def test_paranoid_levels_bind_an_ordinary_user(level: int, sampling: str) -> None:
    result = statuses(f"user-at-paranoid-{level}")
    assert result["software-clock"] == sampling
    assert result["kernel-profiling"] == result["system-wide"] == "unavailable"
    assert result["tracefs"] == "limited"
    remedy = remedies(f"user-at-paranoid-{level}")
    assert remedy["system-wide"] == "sudo sysctl kernel.perf_event_paranoid=0"
