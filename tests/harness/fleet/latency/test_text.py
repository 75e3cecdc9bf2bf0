"""`harness.fleet.latency.text`."""

from harness.fleet.latency.result import FleetLatencyLog, FleetLatencyResult
from harness.fleet.latency.text import lines


def test_times_are_in_microseconds() -> None:
    log = FleetLatencyLog(
        log="wake\x1b",
        digits=3,
        lowest=1,
        hosts=1,
        recordings=1,
        values=2,
        mean_ns=1500.0,
        p50_ns=1000.0,
        p90_ns=2000.0,
        p99_ns=2000.0,
        p999_ns=2000.0,
        largest_ns=2_000_000.0,
        slowest_hosts=(),
    )
    result = FleetLatencyResult(directories=("monday",), hosts=1, recordings=1, logs=(log,))
    text = "\n".join(lines(result, 100))
    assert "2,000.0" in text
    assert "\x1b" not in text
