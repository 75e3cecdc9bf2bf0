"""Counters of the server's I/O queue between two readings."""

import pytest

from harness.labs.storm.queue_counts import DiskQueueUse, QueueReading, queue_use, storm_series
from ioprobe.storm import StormPoint
from stallscope.machine_time import MachineTime


def reading(time_s: float, iowait: int | None = None, **counts: int | None) -> QueueReading:
    defaults: dict[str, int | None] = {
        "written_bytes": 0, "answered": 0, "queued_ns": 0, "executing_ns": 0, "on_cpu_ns": 0,
        "runnable_ns": 0,
    }  # fmt: skip
    machine = None if iowait is None else MachineTime(round(100 * time_s), 0, 0, iowait)
    return QueueReading(time_s, machine=machine, **{**defaults, **counts})  # type: ignore[arg-type]


def test_averages_are_integrals_over_the_time_between_two_readings() -> None:
    before = reading(10.0, 70, written_bytes=100, queued_ns=10**9, on_cpu_ns=5, runnable_ns=10**8)
    after = reading(
        12.0, 90, written_bytes=500, answered=600, queued_ns=9 * 10**9, executing_ns=10**9, on_cpu_ns=6,
        runnable_ns=3 * 10**8,
    )  # fmt: skip
    assert queue_use(before, after) == DiskQueueUse(
        400, 200.0, 4.0, 0.5, pytest.approx(0.1), 300.0, pytest.approx(0.1)
    )


def test_the_cpu_delay_is_unknown_without_scheduler_statistics() -> None:
    before, after = reading(1.0), reading(2.0)  # statistics are off: counts stay 0
    assert queue_use(before, after).cpu_delay_share is None
    missing = reading(1.0, on_cpu_ns=None, runnable_ns=None)
    assert queue_use(missing, reading(2.0, on_cpu_ns=5)).cpu_delay_share is None


def test_iowait_is_a_share_and_unknown_without_ticks() -> None:
    first, fallen = reading(1.0, iowait=50), reading(2.0, iowait=40)
    assert queue_use(first, fallen).iowait_share == 0.0
    assert queue_use(first, reading(2.0, iowait=500)).iowait_share == 1.0
    assert queue_use(first, reading(2.0)).iowait_share is None
    assert queue_use(first, reading(1.001, iowait=50)).iowait_share is None


def test_a_series_has_a_point_for_every_interval() -> None:
    readings = [
        reading(5.0, 0, answered=10, queued_ns=10**9),
        reading(5.5, 10, answered=20, queued_ns=2 * 10**9),
        reading(6.5, 10, answered=20, queued_ns=2 * 10**9, executing_ns=3 * 10**9),
    ]
    assert storm_series(4.5, readings) == (
        StormPoint(t_s=1.0, replies_per_s=20, iowait_share=0.2, queued=2, below=0),
        StormPoint(t_s=2.0, replies_per_s=0, iowait_share=0, queued=0, below=3),
    )
    assert storm_series(4.5, readings[:1]) == ()
