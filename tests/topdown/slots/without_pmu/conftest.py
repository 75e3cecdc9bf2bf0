"""A synthetic /proc."""

from pathlib import Path

import pytest

from tests.topdown.slots.without_pmu.proc_folder import Proc


@pytest.fixture
def proc(tmp_path: Path) -> Proc:
    return Proc(tmp_path)
