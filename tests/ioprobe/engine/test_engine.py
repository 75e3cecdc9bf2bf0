"""The disk engine on simulated disks, whose results are known exactly."""

import os
import signal
from pathlib import Path

import pytest

from ioprobe.engine.engine import (
    EngineEnd,
    EngineFacts,
    Point,
    PointProgress,
    PointResult,
    measure_points,
)
from ioprobe.target.simulated import SimulatedDisk
from stallscope.errors import ExitCode, StallscopeError, UsageError
from stallscope.histograms import read_interval_log
from tests.ioprobe.engine_target import MS, Target, measure


@pytest.mark.parametrize(
    ("depth", "iops", "latency"), [(1, 1000, MS), (8, 8000, MS), (32, 8000, 4 * MS)]
)
def test_a_simulated_disk_has_exact_throughput_and_latency(depth, iops, latency) -> None:
    (result,) = measure(Target(), Point("a", depth=depth, warmup_s=0.1))
    assert result.source == "modelled"
    assert result.iops == pytest.approx(iops, rel=1e-9)
    assert result.latency_ns is not None
    assert (result.latency_ns.min, result.latency_ns.p999, result.latency_ns.max) == (latency,) * 3
    assert sum(count for _, _, count in result.histogram) == result.requests
    assert result.self_check.littles_law_error == pytest.approx(0, abs=1e-9)
    assert result.ok
    assert result.cpu_s is None
    assert result.self_check.cpu_delay_share is None


def test_a_path_may_be_invalid_utf8_but_a_log_may_not(tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xff")
    (result,) = measure(Target(path=odd), Point("a", duration_s=0.1))
    assert result.requests
    with pytest.raises(UsageError, match="not valid UTF-8"):
        measure(Target(), Point("a"), log=tmp_path / odd / "latency.hlog")


def test_events_are_in_plan_order() -> None:
    events = list(measure_points(Target(), [Point("a"), Point("b")]))
    milestones = [event for event in events if not isinstance(event, PointProgress)]
    assert isinstance(milestones[0], EngineFacts)
    assert [event.point.id for event in milestones[1:-1] if isinstance(event, PointResult)] == [
        "a",
        "b",
    ]
    assert milestones[-1] == EngineEnd(interrupted=False)


def test_open_loop_latency_counts_from_the_due_time() -> None:
    over, under = measure(
        Target(simulated=SimulatedDisk(1, MS)),
        Point("over", depth=4, rate_per_s=2000),
        Point("under", depth=4, rate_per_s=500),
    )
    assert under.latency_ns is not None
    assert under.latency_ns.max == MS
    assert under.ok
    assert over.latency_ns is not None
    assert over.latency_ns.max > 400 * MS  # half of the requests queue up for one second
    assert not over.ok
    assert "rate" in over.self_check.failed[0]


def test_a_request_limit_ends_a_point() -> None:
    (result,) = measure(Target(), Point("a", depth=4, most_requests=100, duration_s=3600))
    assert result.requests == 100


def test_reads_and_writes_are_counted_separately() -> None:
    (result,) = measure(Target(writable=True), Point("a", depth=8, read_share=0.75, duration_s=2))
    assert result.reads + result.writes == result.requests == 16_000
    assert abs(result.reads - 12_000) < 5 * (16_000 * 0.75 * 0.25) ** 0.5
    assert result.bytes_written == result.writes * 4096


@pytest.mark.parametrize(
    ("target", "point", "word"),
    [
        (Target(), Point("a", read_share=0.5), "writable"),
        (Target(), Point("a", depth=0), "depth"),
        (Target(), Point("a", block_bytes=1 << 21), "span"),
        (Target(span_bytes=1 << 40), Point("a", depth=4096, block_bytes=1 << 20), "1 GiB"),
        (Target(), Point("a", duration_s=-1), "duration_s"),
        (Target(simulated=None, path="/nonexistent"), Point("a"), "/nonexistent"),
        (Target(simulated=None, path="/proc/self/stat"), Point("a"), "/proc/self/stat"),
        (Target(simulated=None, path="/dev/null"), Point("a"), "/dev/null"),
    ],
)
def test_an_invalid_point_is_one_error_with_a_remedy(target, point, word) -> None:
    with pytest.raises(StallscopeError, match=word) as raised:
        measure(target, point)
    assert raised.value.exit_code == ExitCode.USAGE
    assert raised.value.remedy


def test_the_log_is_an_hdrhistogram_interval_log(tmp_path) -> None:
    log = tmp_path / "points.hlog"
    (result,) = measure(Target(), Point("a"), log=log)
    whole = read_interval_log(log).merged()
    assert whole is not None
    assert whole.total == result.requests


def test_ctrl_c_ends_the_point_and_keeps_its_result() -> None:
    """The point is so long in virtual time that only the interrupt can end it."""
    target = Target(simulated=SimulatedDisk(1, 1000))
    events = []
    sent = False
    for event in measure_points(target, [Point("a", depth=64, duration_s=80_000), Point("b")]):
        events.append(event)
        if isinstance(event, PointProgress) and event.requests > 0 and not sent:
            os.kill(os.getpid(), signal.SIGINT)
            sent = True
    (result,) = [event for event in events if isinstance(event, PointResult)]
    assert result.point.id == "a"
    assert result.interrupted
    assert result.requests > 0
    assert events[-1] == EngineEnd(interrupted=True)
