"""Counts of submissions from trace events."""

import io
import struct
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from ioprobe.block_queue.queue import BlockQueue
from ioprobe.block_queue.snapshot import read_block_queue
from ioprobe.block_queue.stalls import (
    StallCause,
    rounded_down,
)
from ioprobe.block_queue.tracing import (
    by_process,
    count_events,
    find_tracepoints,
    requested_devices,
)
from stallscope.errors import UnableError
from stallscope.system_files import Roots
from stallscope.tracing.drain import Drain
from tests.ioprobe.block_queue.trace_events import EMPTY
from tests.stallscope.tracing.event_formats import write_formats
from tests.stallscope.tracing.ring_writer import PAGE_BYTES, event, page, record

Machines = Callable[[str], Roots]

BIO, SUBMIT, PUNT, WAIT, SWITCH, DIRECT, ENTER, EXIT = range(21, 29)

FORMATS = {
    "block/block_bio_queue": (BIO, ("dev_t dev", 8, 4, 0), ("char comm[16]", 12, 16, 0)),
    "io_uring/io_uring_submit_req": (SUBMIT, ("u8 opcode", 8, 1, 0)),
    "io_uring/io_uring_queue_async_work": (PUNT, ("u8 opcode", 8, 1, 0)),
    "io_uring/io_uring_cqring_wait": (WAIT, ("int min_events", 8, 4, 1)),
    "sched/sched_switch": (SWITCH, ("long prev_state", 8, 8, 1)),
    "iomap/iomap_dio_rw_begin": (
        DIRECT,
        ("loff_t isize", 8, 8, 1),
        ("loff_t pos", 16, 8, 1),
        ("size_t count", 24, 8, 0),
        ("int ki_flags", 32, 4, 1),
    ),
    "syscalls/sys_enter_io_uring_enter": (ENTER, ("u32 to_submit", 8, 8, 0)),
    "syscalls/sys_exit_io_uring_enter": (EXIT, ("long ret", 8, 8, 1)),
}


def events_folder(folder: Path, *without: str) -> Path:
    return write_formats(
        folder, {name: content for name, content in FORMATS.items() if name not in without}
    )


class Pages:
    """The pages of a drain."""

    page_bytes = PAGE_BYTES

    def __init__(self, **pages: bytes) -> None:
        self.pages = {int(cpu[3:]): io.BytesIO(content) for cpu, content in pages.items()}


def bio(delta: int, tid: int, name: bytes) -> bytes:
    return event(delta, record(BIO, tid, struct.pack("=I16s", 0, name)))


def plain(delta: int, number: int, tid: int, opcode: int = 22) -> bytes:
    return event(delta, record(number, tid, struct.pack("=Q", opcode)))


def direct(delta: int, tid: int, size: int, position: int, flags: int = 1 << 18) -> bytes:
    content = struct.pack("=qqQi", size, position, 4096, flags)
    return event(delta, record(DIRECT, tid, content))


def test_events_become_counts_of_processes(tmp_path: Path) -> None:
    filters, handlers, missing = find_tracepoints(
        events_folder(tmp_path / "events"), ("254:1", "8:0")
    )
    assert filters["block/block_bio_queue"] == f"dev == {254 << 20 | 1} || dev == {8 << 20}"
    assert filters["sched/sched_switch"] == "prev_state == 2"
    assert missing == ()
    first = page(
        1000,
        plain(0, ENTER, 70),
        plain(100, SUBMIT, 70),
        bio(0, 70, b"db"),
        plain(100, PUNT, 70),
        plain(800, WAIT, 70),  # the submission took 1,000 ns
        plain(50_000, EXIT, 70),  # the rest waited for completions
        plain(0, ENTER, 71),
        plain(10, SWITCH, 71),
        plain(1990, EXIT, 71),  # 2,000 ns with sleep
    )
    other = page(1500, bio(0, 99, b"iou-wrk-70"), direct(0, 99, 8192, 8192), direct(0, 99, 9000, 0))
    counter = count_events(cast("Drain", Pages(cpu0=first, cpu1=other)), handlers)
    assert counter.threads[70].submit_ns == {rounded_down(1000): 1}
    assert (counter.threads[71].calls, counter.threads[71].blocked_calls) == (1, 1)
    assert (counter.threads[99].direct_writes, counter.threads[99].appends) == (2, 1)

    proc = tmp_path / "proc"
    for tid in (70, 71):
        (proc / str(tid)).mkdir(parents=True)
        (proc / str(tid) / "status").write_text("Name:\tx\nTgid:\t70\n")
    (proc / "70/comm").write_text("postgres\n")
    (process,) = by_process(counter, EMPTY, Roots(proc=proc))
    assert (process.pid, process.name, process.requests) == (70, "postgres", 2)
    assert (process.submitted, process.punts, process.punt_share) == (1, 1, 1.0)
    assert (process.calls, process.blocked_calls, process.blocked_share) == (2, 1, 0.5)
    assert (process.append_share, process.cause) == (0.5, StallCause.APPENDING)
    assert process.submit_max_ns == rounded_down(2000)


def test_a_call_across_lost_events_is_not_counted(tmp_path: Path) -> None:
    _, handlers, _ = find_tracepoints(events_folder(tmp_path), ("8:0",))
    pages = page(1000, plain(0, ENTER, 70)) + page(9_000_000, plain(0, EXIT, 70), missed=True)
    counter = count_events(cast("Drain", Pages(cpu0=pages)), handlers)
    assert counter.threads[70].calls == 0


def test_missing_tracepoints_are_reported_or_refused(tmp_path: Path) -> None:
    without = ("iomap/iomap_dio_rw_begin", "syscalls/sys_enter_io_uring_enter")
    filters, _, missing = find_tracepoints(events_folder(tmp_path / "some", *without), ("8:0",))
    assert not set(without) & set(filters)
    assert [text.split(" are not")[0] for text in missing] == [
        "system calls",
        "direct writes to files",
    ]
    with pytest.raises(UnableError, match="does not trace requests to block devices"):
        find_tracepoints(events_folder(tmp_path / "none", "block/block_bio_queue"), ("8:0",))


@pytest.mark.parametrize(
    ("name", "path", "numbers"),
    [
        ("nvme", "/srv/my data", ("259:0",)),  # a partition's disk
        ("md-over-nvme", "/srv", ("9:0",)),
        ("crypt-over-sata", "/mnt/image", ("7:0",)),
    ],
)
def test_requests_are_counted_at_the_top(
    machine: Machines, name: str, path: str, numbers: tuple[str, ...]
) -> None:
    block_queue: BlockQueue = read_block_queue(Path(path), machine(name))
    assert requested_devices(block_queue) == numbers
