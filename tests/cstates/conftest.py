"""Machine trees, laid out where a test may change them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from stallscope.system_files import Roots
from tests.cstates.machine_trees import expand


@pytest.fixture
def machine(tmp_path: Path) -> Callable[[str], Roots]:
    """The roots of a machine by its name."""
    return lambda name: Roots.recorded(expand(name, tmp_path / name))
