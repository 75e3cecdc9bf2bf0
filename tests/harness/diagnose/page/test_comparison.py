from pathlib import Path

from harness.diagnose.cpu_functions import cpu_analysis
from harness.diagnose.page.comparison import compare_with
from stallscope.recordings import open_recording

CAPTURE = Path("tests/captures/switches.perf")


def test_a_recording_does_not_differ_from_itself() -> None:
    recording = open_recording(CAPTURE)
    compared = compare_with(CAPTURE, recording, cpu_analysis(recording))
    assert 'id="diff"' in compared.panel.markup
    assert "diff-flame" in compared.rules


def test_without_cpu_samples_the_states_are_compared_alone() -> None:
    compared = compare_with(CAPTURE, open_recording(CAPTURE), None)
    assert compared.rules == ""
