"""Machines with disks, expanded into a folder that a test may change."""

from collections.abc import Callable
from pathlib import Path

import pytest

from stallscope.system_files import Roots
from tests.ioprobe.machine_trees import disk_machine


@pytest.fixture
def machine(tmp_path: Path) -> Callable[[str], Roots]:
    """Return a function from a machine's name to its roots."""
    return lambda name: disk_machine(name, tmp_path / name)
