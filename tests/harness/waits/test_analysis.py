from pathlib import Path

import numpy as np
import pytest

from harness.waits.analysis import analyze_waits
from stallscope.errors import RecordingError
from stallscope.recordings import open_recording

CAPTURES = Path("tests/captures")


def test_a_file_of_perf_with_switch_records_has_states() -> None:
    analysis = analyze_waits(open_recording(CAPTURES / "switches.perf"))
    assert [group.name for group in analysis.groups] == ["sh", "busy"]
    assert np.array_equal(analysis.totals.amounts.sum(axis=1), analysis.totals.wall_ns)
    assert any("wake-ups were not recorded" in text for text in analysis.warnings)


def test_a_recording_without_switches_is_refused() -> None:
    with pytest.raises(RecordingError, match="no records of context switches"):
        analyze_waits(open_recording(CAPTURES / "pipe.perf"))
