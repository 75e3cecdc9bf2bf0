"""Files of other tools where a recording is expected."""

from pathlib import Path

import pytest

from harness.profile.analysis import analyze
from harness.profile.imported import analyze_imported
from harness.profile.options import AnalysisOptions
from harness.profile.period import Period
from stallscope.errors import UsageError
from stallscope.recordings import open_recording
from topdown.waits.weight import Weight


def test_a_file_of_another_tool_is_analyzed(tmp_path: Path) -> None:
    file = tmp_path / "x.folded"
    file.write_text("srv;main;work 3\n")
    analysis = analyze(open_recording(file))
    assert analysis.profile.samples == 3


def test_options_that_need_a_recording_are_errors(tmp_path: Path) -> None:
    file = tmp_path / "x.folded"
    file.write_text("srv;main;work 3\n")
    recording = open_recording(file)
    with pytest.raises(UsageError, match="has no context switches"):
        analyze_imported(recording, AnalysisOptions(weight=Weight.WALL))
    with pytest.raises(UsageError, match="have no times"):
        analyze_imported(recording, AnalysisOptions(period=Period(0, 1)))


def test_a_capture_is_not_imported(tmp_path: Path) -> None:
    file = tmp_path / "perf.data"
    file.write_bytes(b"PERFILE2")
    assert analyze_imported(open_recording(file), AnalysisOptions()) is None
