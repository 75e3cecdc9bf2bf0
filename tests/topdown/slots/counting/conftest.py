"""Machines with known counters."""

from pathlib import Path

import pytest

from stallscope.system_files import Roots
from tests.topdown.slots.counting.played import recorded
from tests.topdown.slots.counting.skylake import DEVICES, INTEL


@pytest.fixture
def skylake(tmp_path: Path) -> Roots:
    files = {f"{DEVICES}/cpu/type": "4\n", f"{DEVICES}/cpu/events/cpu-cycles": "event=0x3c\n"}
    return Roots.recorded(recorded(tmp_path, "machine", files, INTEL.format(94)))
