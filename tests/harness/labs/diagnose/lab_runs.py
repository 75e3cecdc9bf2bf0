"""Runs and findings with invented numbers, for tests of scores and texts."""

from harness.labs.diagnose.entries import Entry
from harness.labs.diagnose.result import LabFinding, VariantRun

HOG = Entry(name="hog", cause="user-lock", also=("run-queue",), look_alike_causes=("sleep",))


def finding(
    cause: str, *, true: bool = True, confidence: float = 0.9, gain: float | None = 4.0
) -> LabFinding:
    return LabFinding(
        cause=cause, cost_share=0.5, confidence=confidence, largest_gain=gain, true=true
    )


def run(
    variant: str, *findings: LabFinding, rate: float | None = None, why: str = ""
) -> VariantRun:
    return VariantRun(variant=variant, findings=findings, rate_per_s=rate, why=why)
