from pathlib import Path

import pytest

from harness.diagnose.cpu_functions import cpu_functions
from stallscope.recordings import open_recording


def test_shares_of_a_recording_are_parts_of_its_cpu_time() -> None:
    functions = cpu_functions(open_recording(Path("tests/captures/switches.perf")))
    if functions is None:
        pytest.fail("the capture has CPU samples")
    assert functions.samples > 0
    assert 0 <= functions.page_faults.share <= 1
    assert 0 <= functions.system_calls.share <= 1
    assert sum(share for _, share in functions.hottest) <= 1.0 + 1e-9
