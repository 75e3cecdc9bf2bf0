"""Machine trees in a temporary folder, which tests may change."""

from collections.abc import Callable
from pathlib import Path

import pytest

from stallscope.system_files import Roots
from tests.cstates.machine_trees import expand


@pytest.fixture
def machine(tmp_path: Path) -> Callable[[str], Roots]:
    """Return a function that writes a machine tree by name and returns its roots."""
    return lambda name: Roots.recorded(expand(name, tmp_path / name))
