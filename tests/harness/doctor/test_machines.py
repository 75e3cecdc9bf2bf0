"""Doctor on recorded machines, with a golden file per machine."""

from pathlib import Path

import click
import pytest

from harness.doctor.checks import CHECKS, run_checks
from harness.doctor.result import DoctorResult
from harness.doctor.text import lines
from harness.machine_checks.machine import gather
from stallscope.system_files import Roots

MACHINES = Path(__file__).parents[2] / "machines"
NAMES = sorted(path.name for path in MACHINES.iterdir() if path.is_dir())
NO_COLLECTOR = Path("/nonexistent/stallscope-collect")


def statuses(name: str) -> dict[str, str]:
    checks = run_checks(gather(Roots.recorded(MACHINES / name), NO_COLLECTOR))
    return {check.name: check.status.value for check in checks}


def remedies(name: str) -> dict[str, str]:
    checks = run_checks(gather(Roots.recorded(MACHINES / name), NO_COLLECTOR))
    return {check.name: check.remedy for check in checks}


@pytest.mark.parametrize("name", NAMES)
def test_the_text_matches_the_golden_file(name: str) -> None:
    checks = run_checks(gather(Roots.recorded(MACHINES / name), NO_COLLECTOR))
    result = DoctorResult(checks=checks)
    text = "\n".join(click.unstyle(line) for line in lines(result, 100)) + "\n"
    golden = MACHINES / name / "doctor.txt"
    if not golden.exists() or golden.read_text() != text:
        golden.with_suffix(".got").write_text(text)
    assert golden.read_text() == text, f"see {golden.with_suffix('.got')}"


@pytest.mark.parametrize("name", NAMES)
def test_every_check_has_a_unique_name_and_details(name: str) -> None:
    checks = run_checks(gather(Roots.recorded(MACHINES / name), NO_COLLECTOR))
    assert len({check.name for check in checks}) == len(CHECKS)
    assert all(check.detail for check in checks)


def test_an_empty_machine_has_all_checks(tmp_path: Path) -> None:
    checks = run_checks(gather(Roots.recorded(tmp_path), NO_COLLECTOR))
    assert len(checks) == len(CHECKS)
    result = {check.name: check.status.value for check in checks}
    assert result["software-clock"] == "unavailable"
    assert result["kernel-symbols"] == "unavailable"
    assert result["mlock"] == "limited"


def test_files_of_garbage_have_all_checks(tmp_path: Path) -> None:
    source = MACHINES / "intel-metal"
    for path in source.rglob("*"):
        if path.is_file():
            copy = tmp_path / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(b"\xff\x1b[2J: : 99999999999999999999999\n\n0 0\x00" * 3)
    checks = run_checks(gather(Roots.recorded(tmp_path), NO_COLLECTOR))
    assert len(checks) == len(CHECKS)
    assert "\x1b" not in click.unstyle("".join(lines(DoctorResult(checks=checks), 100)))


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


def test_remedies_in_a_container_name_the_host() -> None:
    result, remedy = statuses("container"), remedies("container")
    assert result["software-clock"] == "unavailable"
    assert "--cap-add PERFMON" in remedy["software-clock"]
    assert remedy["paranoid"].startswith("on the host: sudo sysctl")
    assert "nofile" in remedy["open-files"]
    assert not any(text.startswith("sudo") for text in remedy.values())
