"""Checks of recorded machines."""

from pathlib import Path

from harness.doctor.checks import run_checks
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
