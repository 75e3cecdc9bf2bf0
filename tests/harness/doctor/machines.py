"""Recorded machines, and files that change one of their properties."""

import shutil
from pathlib import Path

from harness.machine_checks.machine import CheckedMachine, gather
from stallscope.system_files import Roots

MACHINES = Path(__file__).parents[2] / "machines"


def machine(name: str) -> CheckedMachine:
    return gather(Roots.recorded(MACHINES / name), Path("/nonexistent"))


def changed_machine(folder: Path, name: str, **files: str) -> CheckedMachine:
    """Return a machine with other content in files below /sys/devices/system ("a__b" is "a/b")."""
    tree = folder / "machine"
    shutil.copytree(MACHINES / name, tree)
    for key, content in files.items():
        path = tree / "sys" / "devices" / "system" / key.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content}\n")
    return gather(Roots.recorded(tree), Path("/nonexistent"))
