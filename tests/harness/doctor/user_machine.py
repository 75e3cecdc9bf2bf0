"""A recorded machine with an ordinary user."""

from pathlib import Path

from harness.machine_checks.machine import CheckedMachine, gather
from stallscope.system_files import Roots

MACHINES = Path(__file__).parents[2] / "machines"


def machine(name: str = "user-at-paranoid-2") -> CheckedMachine:
    return gather(Roots.recorded(MACHINES / name), Path("/nonexistent"))
