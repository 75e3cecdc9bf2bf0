"""Readings of threads, disks, sleep states and the run queue of a recorded machine."""

from pathlib import Path

import pytest

from harness.top import readings
from harness.top.readings import Reader, SampledStates, ThreadTimes, whole_disks
from tests.harness.top.machine import PID, Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_reading_has_the_counters_of_each_part(machine: Machine) -> None:
    machine.thread(41, "S", "202 0x1", run_ns=11, queue_ns=12)
    reader = Reader(machine.roots, PID, "x86_64")
    reader.choose_threads()
    reading = reader.read()
    assert (reading.threads, reading.process_cpu_s) == (2, 0)
    assert reading.times[41] == ThreadTimes(11, 12)
    assert reading.running == 7
    assert reading.cpu_ticks["steal"] == 35
    assert reading.disks.keys() == {"vda"}, "neither partitions nor loop devices"
    assert (reading.disks["vda"].reads, reading.disks["vda"].read_ms) == (100, 50)
    assert reading.idle_us == {(0, "C1"): 0}
    assert reading.pressure_us == {"cpu": 1000}


@pytest.mark.parametrize(
    ("letter", "call", "category"),
    [
        ("S", "202 0x1 0x2", "lock or condition"),
        ("S", "232 0x4", "poll"),
        ("S", "99999 0x4", "other call"),
        ("S", "", "sleeping"),
        ("D", "0 0x3", "uninterruptible (disk)"),
        ("T", "0 0x3", "stopped"),
    ],
)
def test_a_sleeping_thread_has_the_category_of_its_call(
    machine: Machine, letter: str, call: str, category: str
) -> None:
    machine.thread(41, letter, call, run_ns=0, queue_ns=0)
    reader = Reader(machine.roots, PID, "x86_64")
    reader.choose_threads()
    states = SampledStates()
    reader.sample(states)
    assert dict(states.counts) == {category: 1}, "the running thread does not wait"
    assert states.refused == (category == "sleeping")


def test_of_many_threads_others_are_read_each_time(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readings, "MAX_THREADS", 1)
    reader = Reader(machine.roots, PID, "x86_64")
    seen = []
    for _ in range(3):
        reader.choose_threads()
        seen.append(tuple(reader.read().times))
    assert seen == [(40,), (41,), (40,)]


def test_damaged_files_are_missing_counters(machine: Machine) -> None:
    for name in ("proc/stat", "proc/diskstats", f"proc/{PID}/task/41/schedstat"):
        machine.write(name, "x y vda\n\x00")
    reader = Reader(machine.roots, PID, "x86_64")
    reader.choose_threads()
    reading = reader.read()
    assert (reading.running, reading.disks, set(reading.times)) == (None, {}, {40})


def test_disks_are_whole_devices(machine: Machine) -> None:
    machine.write("sys/block/loop0/size", "1")
    assert whole_disks(machine.roots) == {"vda"}
