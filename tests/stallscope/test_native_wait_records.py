"""Arrays of a capture about waiting: switches, tasks, wake-ups, registers, lost records."""

from pathlib import Path

import numpy as np

from stallscope._native import read_capture
from tests.captures.wait_capture import WaitCapture
from topdown.waits.records import REGISTER_NAMES, TaskKind

CAPTURES = Path(__file__).parent.parent / "captures"


def small_capture() -> WaitCapture:
    made = WaitCapture()
    made.process(7)
    made.start(7, 8, 5, parent=7)
    made.switch_in(7, 8, 10)
    made.switch_sample(7, 8, 20, [0x10, 0x20], registers={"ip": 77, "argument0": 0xABC0})
    made.switch_out(7, 8, 20)
    made.waking((7, 7), 8, 30, flags=8)
    made.switch_cpu((7, 7), (7, 8), 40, cpu=1, preempted=True)
    made.cpu_sample(7, 8, 50, [0x30])
    made.lost(3, 60)
    made.exit(7, 8, 70)
    return made


def test_a_capture_has_the_records_of_waiting(tmp_path: Path) -> None:
    capture = read_capture(small_capture().write(tmp_path / "waits.perf"))
    tids = np.array([thread.tid for thread in capture.threads])
    assert capture.switch_time_ns.tolist() == [10, 20, 40, 40]
    assert capture.switch_kind.tolist() == [0, 1, 2, 0]
    assert tids[capture.switch_thread].tolist() == [8, 8, 7, 8]
    assert capture.switch_cpu.tolist() == [0, 0, 1, 1]
    assert tids[capture.switch_other[2:]].tolist() == [8, 7]
    assert capture.task_kind.tolist() == [TaskKind.START, TaskKind.EXIT]
    assert capture.register_row.tolist() == [0, 0xFFFFFFFF, 0xFFFFFFFF]
    row = dict(zip(REGISTER_NAMES, capture.registers[0].tolist(), strict=True))
    assert (row["ip"], row["argument0"], row["sp"]) == (77, 0xABC0, 0)
    assert tids[capture.wake_wakee].tolist() == [8]
    assert tids[capture.wake_waker].tolist() == [7]
    assert capture.wake_flags.tolist() == [8]
    assert (capture.lost_begin_ns.tolist(), capture.lost_end_ns.tolist()) == ([50], [60])


def test_a_recording_of_perf_has_switches_and_tasks() -> None:
    capture = read_capture(CAPTURES / "switches.perf")
    assert len(capture.switch_time_ns) == 221
    assert np.all(np.diff(capture.switch_time_ns.astype(np.int64)) >= 0)
    assert set(capture.switch_kind.tolist()) == {0, 1, 2}
    assert capture.task_kind.tolist() == [2, 0, 2, 1, 1]
    assert len(capture.wake_time_ns) == 0


def test_arrays_are_empty_without_such_records() -> None:
    capture = read_capture(CAPTURES / "file.perf")
    assert len(capture.switch_time_ns) == len(capture.register_row) == 0
    assert capture.registers.shape == (0, 10)
