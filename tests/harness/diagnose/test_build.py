import dataclasses

from harness.diagnose.build import FEW_SAMPLES
from tests.harness.diagnose.diagnoses import BUSY, LOCKED, cpu, diagnosis


def test_causes_that_the_recording_cannot_show_are_listed() -> None:
    names = [name for row in diagnosis(BUSY).not_judged for name in row.causes]
    assert "mispredictions" in names
    assert "page faults" in names  # no CPU sample was taken
    with_samples = [name for row in diagnosis(BUSY, cpu()).not_judged for name in row.causes]
    assert "page faults" not in with_samples


def test_few_samples_are_a_warning() -> None:
    assert FEW_SAMPLES > 0
    assert not diagnosis(BUSY, cpu()).warnings
    few = dataclasses.replace(cpu(), samples=3)
    assert any("only 3 CPU samples" in text for text in diagnosis(BUSY, few).warnings)


def test_the_verdict_says_what_the_first_finding_costs() -> None:
    result = diagnosis(LOCKED)
    assert result.verdict.startswith(result.findings[0].sentence)
    assert result.overhead_share is None
