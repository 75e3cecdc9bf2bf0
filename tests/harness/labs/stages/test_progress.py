"""The live line of the lab."""

from harness.labs.stages.progress import Progress


def test_phases_are_reported_and_time_does_not_exceed_the_whole() -> None:
    phases: list[str] = []
    progress = Progress(10.0, phases.append)
    progress.begin_phase("saturated")
    progress.advance(7.0)
    progress.advance(7.0)
    assert phases == ["saturated"]
    assert progress.done_s == 10.0
