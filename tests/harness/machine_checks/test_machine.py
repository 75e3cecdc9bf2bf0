"""Machines with missing files, and containers."""

from pathlib import Path

from harness.doctor.checks import CHECKS, run_checks
from harness.machine_checks.machine import gather
from stallscope.system_files import Roots
from tests.harness.doctor.recorded import NO_COLLECTOR, remedies, statuses


def test_an_empty_machine_has_all_checks(tmp_path: Path) -> None:
    checks = run_checks(gather(Roots.recorded(tmp_path), NO_COLLECTOR))
    assert len(checks) == len(CHECKS)
    result = {check.name: check.status.value for check in checks}
    assert result["software-clock"] == "unavailable"
    assert result["kernel-symbols"] == "unavailable"
    assert result["mlock"] == "limited"


def test_remedies_in_a_container_name_the_host() -> None:
    result, remedy = statuses("container"), remedies("container")
    assert result["software-clock"] == "unavailable"
    assert "--cap-add PERFMON" in remedy["software-clock"]
    assert remedy["paranoid"].startswith("on the host: sudo sysctl")
    assert "nofile" in remedy["open-files"]
    assert not any(text.startswith("sudo") for text in remedy.values())
