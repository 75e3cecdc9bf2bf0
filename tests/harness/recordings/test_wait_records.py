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


def records_with(folder: Path, target: Target, *, start_ns: int = 0) -> WaitRecords:
    """Return the records of a recording that attached the threads of its target at 105."""
    capture = read_capture(capture_of_command().write(folder / "samples.perf"))
    lines = (
        {"type": "mode", "at_ns": 105, "mode": "all", "switches_per_s": 0},
        {"type": "thread", "moment": "end", "at_ns": 990, "pid": 7, "tid": 7, "state": "S"},
    )
    (folder / "waits.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    manifest = Manifest(
        schema="stallscope.recording/1.0",
        complete=True,
        target_or_none=target,
        clocks=RecordedClocks(start_monotonic_ns=start_ns),
    )
    records, log = wait_records_of(Recording(folder, folder / "samples.perf", manifest), capture)
    assert log is not None
    assert len(log.threads) == 1
    return records


def test_a_recording_of_a_command_begins_with_its_program(tmp_path: Path) -> None:
    assert records_with(tmp_path, Target(kind="command", pids=(7,))).begin_ns == 500


def test_a_recording_without_a_start_begins_with_the_first_record(tmp_path: Path) -> None:
    assert records_with(tmp_path, Target(kind="command", pids=(8,))).begin_ns == 110


@pytest.mark.parametrize("start_ns", [90, 105, 120])
def test_a_recording_of_a_process_begins_when_its_threads_are_attached(
    tmp_path: Path, start_ns: int
) -> None:
    """The last seconds of a flight recorder begin later."""
    records = records_with(tmp_path, Target(pids=(7,)), start_ns=start_ns)
    assert records.begin_ns == max(start_ns, 105)


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
