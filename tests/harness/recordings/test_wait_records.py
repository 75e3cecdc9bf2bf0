"""Records of waits of a recording: its log, its begin and its end."""

import json
from pathlib import Path

import pytest

from harness.recordings.wait_records import wait_records_of
from stallscope._native import read_capture
from stallscope.recordings import Manifest, RecordedClocks, Recording, Target, open_recording
from tests.captures.wait_capture import WaitCapture
from topdown.waits.records import WaitRecords


def capture_of_command() -> WaitCapture:
    """A process that waits for the recorder, then executes its program at 500."""
    made = WaitCapture()
    made.process(7, b"collect")
    made.switch_out(7, 7, 110)
    made.switch_in(7, 7, 450)
    made.name(7, 7, b"program", time_ns=500, exec_=True)
    made.switch_out(7, 7, 900)
    return made


def records_with(folder: Path, target: Target) -> WaitRecords:
    capture = read_capture(capture_of_command().write(folder / "samples.perf"))
    line = {"type": "thread", "moment": "end", "at_ns": 990, "pid": 7, "tid": 7, "state": "S"}
    (folder / "waits.jsonl").write_text(json.dumps(line) + "\n")
    manifest = Manifest(schema="stallscope.recording/1.0", complete=True, target_or_none=target)
    records, log = wait_records_of(Recording(folder, folder / "samples.perf", manifest), capture)
    assert log is not None
    assert len(log.threads) == 1
    return records


def test_a_recording_of_a_command_begins_with_its_program(tmp_path: Path) -> None:
    assert records_with(tmp_path, Target(kind="command", pids=(7,))).begin_ns == 500


@pytest.mark.parametrize("target", [Target(pids=(7,)), Target(kind="command", pids=(8,))])
def test_other_recordings_begin_with_the_first_record(tmp_path: Path, target: Target) -> None:
    assert records_with(tmp_path, target).begin_ns == 110


def test_a_file_of_perf_has_no_log(tmp_path: Path) -> None:
    path = capture_of_command().write(tmp_path / "perf.data")
    records, log = wait_records_of(open_recording(path), read_capture(path))
    assert log is None
    assert (records.begin_ns, records.end_ns) == (110, 900)


def test_the_end_of_a_cut_recording_is_its_last_record(tmp_path: Path) -> None:
    """What the threads did later is not in the file: it is no wait."""
    made = capture_of_command()
    path = tmp_path / "samples.perf"
    path.write_bytes(made.content()[:-20])
    capture = read_capture(path, allow_truncated=True)
    assert capture.truncated_at is not None
    clocks = RecordedClocks(start_monotonic_ns=100, end_monotonic_ns=90_000)
    manifest = Manifest(schema="stallscope.recording/1.0", complete=True, clocks=clocks)
    records, _ = wait_records_of(Recording(tmp_path, path, manifest), capture)
    assert records.end_ns == int(capture.switch_time_ns.max()) < 90_000
