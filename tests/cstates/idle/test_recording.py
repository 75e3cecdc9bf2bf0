"""From raw pages with known events to idle intervals and a trace."""

import io
import struct
from pathlib import Path
from typing import cast

from cstates.idle.recording import IdleRecordingOptions, IdleTracing, assemble
from cstates.idle.tracepoints import Tracepoints, find_tracepoints
from cstates.simulation.trace import read_trace
from stallscope.tracing.drain import Drain
from stallscope.tracing.instance import TraceInstance
from tests.cstates.idle.trace_pages import (
    COMPLETE,
    IDLE,
    IRQ,
    ISSUE,
    START,
    SWITCH,
    events_folder,
)
from tests.stallscope.tracing.ring_writer import PAGE_BYTES, event, page, record


class Stopped:
    """A finished drain and its trace instance."""

    page_bytes = PAGE_BYTES
    cpu_s = 0.0
    full = False

    def __init__(self, pages: dict[int, bytes]) -> None:
        self.pages = {cpu: io.BytesIO(content) for cpu, content in pages.items()}

    def lost_events(self) -> int:
        return 3


def switch(pid: int, state: int, name: str, next_pid: int) -> bytes:
    """Return a record of a switch from a task in a state."""
    return record(SWITCH, pid, struct.pack("=q16si", state, name.encode(), next_pid))


def idle_events(cycles: int) -> bytes:
    """Return cycles of 1,000 ns: idle from 100 to 700, interrupted by a timer at 650, then a task."""
    events = []
    for number in range(cycles):
        start = number * 1000
        timer = struct.pack("=QQq", 0x77, 0x88, 50_000 + start + 600)
        events += [
            event(0 if number == 0 else 290, record(START, 0, timer)),
            event(100, record(IDLE, 0, struct.pack("=II", 1, 5))),
            event(550, record(IRQ, 0, struct.pack("=i", 236))),
            event(50, record(IDLE, 0, struct.pack("=II", 0xFFFFFFFF, 5))),
            event(10, switch(0, 0, "worker", 42)),
        ]
    return page(50_000, *events)


def recording(
    folder: Path,
    *,
    most: int,
    pages: dict[int, bytes] | None = None,
    points: Tracepoints | None = None,
) -> IdleTracing:
    stopped = Stopped(pages or {5: idle_events(4)})
    request = IdleRecordingOptions(folder, frozenset({5}), most, (None, 1_000))
    points = points or find_tracepoints(events_folder(folder / "events"))
    return assemble(
        request,
        points,
        drain=cast("Drain", stopped),
        instance=cast("TraceInstance", stopped),
        seconds=1.0,
    )


def test_pages_become_a_trace_that_the_simulator_reads(tmp_path: Path) -> None:
    done = recording(tmp_path, most=100)
    assert (done.kept, done.events, done.lost_events, done.discarded) == (4, 20, 3, 0)
    assert "irq/irq_handler_entry" in done.missing
    trace = read_trace(tmp_path / "idle.csv")
    assert trace.cpu.tolist() == [5] * 4
    assert trace.idle_ns.tolist() == [600] * 4
    assert trace.next_timer_ns.tolist() == [500] * 4
    assert trace.entered is not None
    assert trace.entered.tolist() == [1] * 4
    ((key, counts),) = done.summary.wakes.items()
    assert (key, counts.timed, counts.too_deep) == ((1, "timer"), 4, 4)
    assert counts.awake_sum_ns == 4 * 50
    assert list(done.summary.processes) == [(42, "worker", 1, "timer")]


def test_io_waiters_are_estimated_from_block_requests(tmp_path: Path) -> None:
    """Task 42 reads a block and sleeps; the first idle interval has it as waiter, the others none."""
    request = struct.pack("=IxxxxQ", 8 << 20, 2048)
    idle = [struct.pack("=II", state, 5) for state in (1, 0xFFFFFFFF)]
    events = [
        event(0, record(ISSUE, 42, request)),
        event(10, switch(42, 2, "swapper", 0)),
        event(10, record(IDLE, 0, idle[0])),
        event(90, record(IDLE, 0, idle[1])),
        event(10, record(COMPLETE, 0, request)),
        event(10, switch(0, 0, "reader", 42)),
        event(10, record(IDLE, 0, idle[0])),
        event(90, record(IDLE, 0, idle[1])),
        event(10, switch(42, 2, "swapper", 0)),  # waits for a lock: no request is in flight
        event(10, record(IDLE, 0, idle[0])),
        event(90, record(IDLE, 0, idle[1])),
    ]
    done = recording(tmp_path, most=100, pages={5: page(50_000, *events)})
    trace = read_trace(tmp_path / "idle.csv")
    assert trace.io_waiters is not None
    assert trace.io_waiters.tolist() == [1, 0, 0]
    assert (done.summary.with_io_waiters, done.summary.io_waiters_sum) == (1, 1)


def test_a_kernel_without_block_tracepoints_has_no_column_of_io_waiters(tmp_path: Path) -> None:
    formats = events_folder(tmp_path / "events")
    (formats / "block/block_rq_complete/format").unlink()
    points = find_tracepoints(formats)
    assert not points.estimates_io_waiters
    recording(tmp_path, most=100, points=points)
    assert read_trace(tmp_path / "idle.csv").io_waiters is None


def test_intervals_beyond_the_limit_are_in_histograms_only(tmp_path: Path) -> None:
    done = recording(tmp_path, most=1)
    assert (done.kept, done.summary.intervals) == (1, 4)
    assert read_trace(tmp_path / "idle.csv").idle_ns.size == 1
