"""Machines with disks: text files in ``machines/``, in the format of tests/cstates/machine_trees.py."""

from pathlib import Path

from stallscope.system_files import Roots
from tests.cstates.machine_trees import expand

MACHINES = Path(__file__).parent / "machines"


def disk_machine(name: str, folder: Path) -> Roots:
    """Return the roots of a machine, expanded into a folder."""
    return Roots.recorded(expand(name, folder, MACHINES))
