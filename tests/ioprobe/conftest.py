"""Machines with disks, made by hand, laid out where a test may change them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from stallscope.system_files import Roots
from tests.ioprobe.machine_trees import disk_machine


@pytest.fixture
def machine(tmp_path: Path) -> Callable[[str], Roots]:
    """The roots of a machine by its name."""
    return lambda name: disk_machine(name, tmp_path / name)
