"""The engine's face, over devices in virtual time: every answer is known and exact."""

import os
import signal
from pathlib import Path

import pytest

from ioprobe.engine import process as engine_process
from ioprobe.engine.engine import Begun, Ended, Measured, Point, Progress, measuring
from ioprobe.engine.lines import event as event_of
from ioprobe.target.simulated import Simulated
from stallscope.errors import ExitCode, RecordingError, StallscopeError, UsageError
from stallscope.histograms import read_interval_log
from stallscope.json_fields import Fields
from tests.ioprobe.engine_target import MS, Target, measured


@pytest.mark.parametrize(
    ("depth", "iops", "latency"), [(1, 1000, MS), (8, 8000, MS), (32, 8000, 4 * MS)]
)
def test_a_device_in_virtual_time_does_exactly_what_it_must(depth, iops, latency) -> None:
    (found,) = measured(Target(), Point("a", depth=depth, warmup_s=0.1))
    assert found.source == "modelled"
    assert found.iops == pytest.approx(iops, rel=1e-9)
    assert found.latency_ns is not None
    assert (found.latency_ns.min, found.latency_ns.p999, found.latency_ns.max) == (latency,) * 3
    assert sum(count for _, _, count in found.histogram) == found.requests
    assert found.self_check.littles_law_error == pytest.approx(0, abs=1e-9)
    assert found.ok
    assert found.cpu_s is None
    assert found.self_check.cpu_delay_share is None


def test_names_may_be_no_utf8(tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xff")
    (found,) = measured(Target(path=odd), Point("a", duration_s=0.1))
    assert found.requests
    with pytest.raises(UsageError, match="no UTF-8"):
        measured(Target(), Point("a"), log=tmp_path / odd / "latency.hlog")


def test_events_come_in_order() -> None:
    events = list(measuring(Target(), [Point("a"), Point("b")]))
    told = [event for event in events if not isinstance(event, Progress)]
    assert isinstance(told[0], Begun)
    assert [event.point.id for event in told[1:-1] if isinstance(event, Measured)] == ["a", "b"]
    assert told[-1] == Ended(interrupted=False)


def test_an_open_loop_counts_latency_from_when_requests_were_due() -> None:
    over, under = measured(
        Target(simulated=Simulated(1, MS)),
        Point("over", depth=4, rate_per_s=2000),
        Point("under", depth=4, rate_per_s=500),
    )
    assert under.latency_ns is not None
    assert under.latency_ns.max == MS
    assert under.ok
    assert over.latency_ns is not None
    assert over.latency_ns.max > 400 * MS  # half of the requests pile up for a second
    assert not over.ok
    assert "rate" in over.self_check.failed[0]


def test_a_count_ends_a_point() -> None:
    (found,) = measured(Target(), Point("a", depth=4, most_requests=100, duration_s=3600))
    assert found.requests == 100


def test_reads_and_writes_are_told_apart() -> None:
    (found,) = measured(Target(writable=True), Point("a", depth=8, read_share=0.75, duration_s=2))
    assert found.reads + found.writes == found.requests == 16_000
    assert abs(found.reads - 12_000) < 5 * (16_000 * 0.75 * 0.25) ** 0.5
    assert found.bytes_written == found.writes * 4096


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
def test_what_cannot_be_measured_is_told_in_one_error(target, point, word) -> None:
    with pytest.raises(StallscopeError, match=word) as raised:
        measured(target, point)
    assert raised.value.exit_code == ExitCode.USAGE
    assert raised.value.remedy


def test_log_is_one_that_others_read(tmp_path) -> None:
    log = tmp_path / "points.hlog"
    (found,) = measured(Target(), Point("a"), log=log)
    whole = read_interval_log(log).whole()
    assert whole is not None
    assert whole.total == found.requests


def test_ctrl_c_ends_the_point_and_keeps_it() -> None:
    """The device takes so long in virtual time that only the interrupt can end the point."""
    target = Target(simulated=Simulated(1, 1000))
    events = []
    sent = False
    for event in measuring(target, [Point("a", depth=64, duration_s=80_000), Point("b")]):
        events.append(event)
        if isinstance(event, Progress) and event.requests > 0 and not sent:
            os.kill(os.getpid(), signal.SIGINT)
            sent = True
    found = [event for event in events if isinstance(event, Measured)]
    assert [event.point.id for event in found] == ["a"]
    assert found[0].interrupted
    assert found[0].requests > 0
    assert events[-1] == Ended(interrupted=True)


def engine_of(pid: int) -> int:
    """The engine that a process has started last."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    engines = [
        one for one in children if Path(f"/proc/{one}/comm").read_text() == "stallscope-ioqu\n"
    ]
    return int(engines[-1])


def test_an_engine_that_does_not_answer_ctrl_c_is_killed(monkeypatch) -> None:
    monkeypatch.setattr(engine_process, "INTERRUPTED_S", 0.2)
    events, engine = [], 0
    target = Target(simulated=Simulated(1, 1000))
    for event in measuring(target, [Point("a", depth=64, duration_s=80_000)]):
        events.append(event)
        if isinstance(event, Progress) and not engine:
            engine = engine_of(os.getpid())
            os.kill(engine, signal.SIGSTOP)
            os.kill(os.getpid(), signal.SIGINT)
    assert events[-1] == Ended(interrupted=True)
    assert not any(isinstance(event, Measured) for event in events)
    assert not Path(f"/proc/{engine}").exists()


def test_what_a_line_of_the_engine_lacks_is_no_zero() -> None:
    line = {"kind": "progress", "id": "a", "elapsed_s": 1.0, "requests": 5}
    assert event_of(Fields(line, "x"), {}) == Progress("a", 1.0, 5)
    for absent in ("elapsed_s", "requests"):
        with pytest.raises(RecordingError, match=absent):
            event_of(Fields(line | {absent: None}, "x"), {})
