"""Counting on a CPU without a model."""

from pathlib import Path

import pytest

from stallscope.system_files import Roots
from tests.topdown.slots.counting.played import PlayedCollector, recorded
from tests.topdown.slots.counting.skylake import DEVICES, INTEL, shares, taken
from topdown.slots.counting.session import (
    measurement_of_recording,
)


def test_a_cpu_without_a_model_has_ipc_and_stalled_cycles(tmp_path: Path) -> None:
    files = {f"{DEVICES}/cpu/type": "4\n"}
    roots = Roots.recorded(recorded(tmp_path, "new", files, INTEL.format(250)))
    counts = {"cycles": 1e9, "instructions": 2e9, "stalled-cycles-frontend": 2e8}
    refused = {"stalled-cycles-backend": ("ENOENT", "this CPU has no such event")}
    result = taken(tmp_path, roots, PlayedCollector(counts, unavailable=refused))
    assert result.ipc is not None
    assert result.ipc.value == pytest.approx(2)
    assert shares(result) == {
        "frontend_stalled_cycles": pytest.approx(0.2),
        "backend_stalled_cycles": None,
    }
    assert result.bottleneck is None
    assert any("no model of this CPU" in warning for warning in result.warnings)
    assert measurement_of_recording(tmp_path / "out").ipc == result.ipc
