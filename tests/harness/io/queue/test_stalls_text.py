"""Submission stalls and their causes as text."""

import pytest
from msgspec import structs

from harness.io.queue.stalls_text import cause_text, main_processes, stalls_notes, stalls_title
from ioprobe.block_queue.stalls import StallCause
from tests.harness.io.queue.results import submission_stalls


@pytest.mark.parametrize("cause", list(StallCause))
def test_every_cause_has_a_text(cause: StallCause) -> None:
    assert len(cause_text(cause, submission_stalls().occupancy)) > 20


def test_the_title_has_the_interval() -> None:
    assert stalls_title(submission_stalls(), 2.0).startswith("Submission stalls in 2 s")


def test_unknown_and_lost_events_are_noted() -> None:
    lost = " ".join(stalls_notes(structs.replace(submission_stalls(), lost_events=7)))
    assert "7 events were lost" in lost
    unknown = " ".join(stalls_notes(structs.replace(submission_stalls(), lost_events=None)))
    assert "number of lost events is unknown" in unknown


def test_quiet_processes_are_not_listed() -> None:
    stalls = submission_stalls()
    listed = main_processes(stalls)
    assert 0 < len(listed) < len(stalls.processes)
    assert all(process.calls or process.punts for process in listed)
