"""Storms of switches: recorded in windows before the rings overflow, and readable if they do."""

from typing import Any

import pytest

from stallscope.programs import program
from tests.live.test_collect_waits import lines_of

pytestmark = pytest.mark.live
MOST_LOST = 1_000  # rings that overflowed lost 30,000 and more


@pytest.mark.parametrize("kernel", ["short-and-long-waits", "deep-queue"])
def test_a_storm_of_switches_loses_few_records_before_the_windows(
    needs_root: None, record: Any, kernel: str
) -> None:
    """The second one has 64 threads that are ready to run, beside which the recorder must run."""
    command = [program("stallscope-kernels"), kernel, "--duration", "0.5"]
    recording = record("--waits", "--", *map(str, command))
    assert recording.exit_code == 0, recording.messages
    assert lines_of(recording)["mode"][-1]["mode"] == "windows"
    assert recording.document["losses"]["lost_samples"] < MOST_LOST


def test_lost_records_do_not_make_a_recording_unreadable(needs_root: None, record: Any) -> None:
    """The smallest rings overflow between two looks at them."""
    command = [program("stallscope-kernels"), "short-and-long-waits", "--duration", "0.5"]
    recording = record("--waits", "--ring-kib", 64, "--", *map(str, command))
    assert recording.exit_code == 0, recording.messages
    assert recording.document["losses"]["lost_samples"] > MOST_LOST
    assert lines_of(recording)["mode"][-1]["mode"] == "windows"
