"""Tests of `harness/profile/capture_reading.py`: one reading serves several analyses."""

from pathlib import Path

import pytest

from harness.profile import capture_reading as module
from harness.profile.analysis import analyze
from harness.profile.capture_reading import capture_reading
from harness.profile.options import AnalysisOptions
from harness.waits.analysis import analyze_waits
from stallscope.recordings import open_recording
from tests.topdown.waits.test_sample_weights import two_phases
from topdown.waits.weight import Weight


def test_analyses_of_one_reading_are_those_of_a_reading_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = open_recording(two_phases().write(tmp_path / "waits.perf"))
    options = [AnalysisOptions(weight=weight) for weight in Weight]
    expected = [analyze(recording, option).profile for option in options]
    expected_waits = analyze_waits(recording)
    reading = capture_reading(recording)
    monkeypatch.setattr(module, "read_samples", None)  # nothing reads the capture again
    for option, profile in zip(options, expected, strict=True):
        shared = analyze(recording, option, reading).profile
        assert shared.weight_value.tolist() == profile.weight_value.tolist()
        assert shared.weight_node.tolist() == profile.weight_node.tolist()
        assert list(shared.functions) == list(profile.functions)
    waits = analyze_waits(recording, reading=reading)
    assert waits.totals.amounts.tolist() == expected_waits.totals.amounts.tolist()
    assert reading.waits.records is waits.records
