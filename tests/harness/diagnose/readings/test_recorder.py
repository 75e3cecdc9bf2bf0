import os
from pathlib import Path

from harness.diagnose.readings.file import read_readings
from harness.diagnose.readings.recorder import ReadingsRecorder
from tests.harness.diagnose.machines import header


def test_the_first_and_the_last_reading_have_sleep_states(tmp_path: Path) -> None:
    recorder = ReadingsRecorder(tmp_path, header())
    recorder.start((os.getpid(),))
    recorder.start((os.getpid(),))  # a second start does nothing
    recorder.stop()
    content = read_readings(tmp_path)
    assert content is not None
    assert len(content.rows) >= 2
    first, last = content.rows[0], content.rows[-1]
    assert first.idle is not None
    assert last.idle is not None
    assert first.monotonic_ns < last.monotonic_ns
    assert [row.pid for row in first.processes][:1] == [os.getpid()]
    assert recorder.cpu_s > 0
    assert recorder.failure == ""


def test_a_recording_that_cannot_be_written_is_a_failure_in_words(tmp_path: Path) -> None:
    recorder = ReadingsRecorder(tmp_path / "missing", header())
    recorder.start(())
    recorder.stop()
    assert "could not be recorded" in recorder.failure


def test_a_recorder_that_was_never_started_stops(tmp_path: Path) -> None:
    ReadingsRecorder(tmp_path, header()).stop()
    assert read_readings(tmp_path) is None
