"""Counters of the server's I/O queue between two readings."""

import pytest

from harness.labs.storm.queue_counts import QueueReading, QueueUse, queue_use


def reading(time_s: float, **counts: int | None) -> QueueReading:
    defaults: dict[str, int | None] = {
        "written_bytes": 0, "queued_ns": 0, "executing_ns": 0, "on_cpu_ns": 0, "runnable_ns": 0,
    }  # fmt: skip
    return QueueReading(time_s, **{**defaults, **counts})  # type: ignore[arg-type]


def test_averages_are_integrals_over_the_time_between_two_readings() -> None:
    before = reading(10.0, written_bytes=100, queued_ns=10**9, on_cpu_ns=5, runnable_ns=10**8)
    after = reading(
        12.0, written_bytes=500, queued_ns=9 * 10**9, executing_ns=10**9, on_cpu_ns=6,
        runnable_ns=3 * 10**8,
    )  # fmt: skip
    assert queue_use(before, after) == QueueUse(400, 200.0, 4.0, 0.5, pytest.approx(0.1))


def test_the_cpu_delay_is_unknown_without_scheduler_statistics() -> None:
    before, after = reading(1.0), reading(2.0)  # statistics are off: counts stay 0
    assert queue_use(before, after).cpu_delay_share is None
    missing = reading(1.0, on_cpu_ns=None, runnable_ns=None)
    assert queue_use(missing, reading(2.0, on_cpu_ns=5)).cpu_delay_share is None
