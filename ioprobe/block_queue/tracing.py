"""Tracing of submission stalls on the running system, in a dedicated trace instance."""

import heapq
import tempfile
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from ioprobe.block_queue.queue import BlockQueue, DeviceKind, QueueDevice
from ioprobe.block_queue.stalls import (
    ProcessStalls,
    QueueOccupancy,
    SubmissionCounter,
    SubmissionStalls,
    ThreadCounts,
    process_stalls,
)
from stallscope.errors import UnableError
from stallscope.system_files import Roots, read_text
from stallscope.tracing.drain import Drain
from stallscope.tracing.event_format import EventFormat, read_event_format
from stallscope.tracing.instance import open_instance, tracefs
from stallscope.tracing.ring_pages import LOST, RingEvent, ring_events

EventHandler = Callable[[SubmissionCounter, RingEvent], None]
SAMPLE_S = 0.02  # interval between samples of requests in flight
BIO = "block/block_bio_queue"
_SUBMITTED = "io_uring/io_uring_submit_req"
_PUNTED = "io_uring/io_uring_queue_async_work"
_WAITS = "io_uring/io_uring_cqring_wait"
_SWITCH = "sched/sched_switch"
_DIRECT = "iomap/iomap_dio_rw_begin"
_CALLS = ("io_uring_enter", "io_submit")
_UNINTERRUPTIBLE = 2  # TASK_UNINTERRUPTIBLE
_WRITE_FLAG = 1 << 18  # IOCB_WRITE
_MISSING = {
    _SUBMITTED: "io_uring's requests are not traced, so punts are unknown",
    _PUNTED: "io_uring's work queue is not traced, so punts are unknown",
    "syscalls/sys_enter_io_uring_enter": "system calls are not traced, so blocking is unknown",
    _DIRECT: "direct writes to files are not traced, so appending is not recognized as a cause",
}


def trace_stalls(
    block_queue: BlockQueue, roots: Roots, run: Callable[[], None]
) -> SubmissionStalls:
    """Return the submission stalls at the devices of a path during ``run``.

    Raises UnableError, without calling ``run``, if this user or kernel has no tracepoints.
    """
    root = tracefs()
    filters, handlers, missing = find_tracepoints(root / "events", requested_devices(block_queue))
    tagged = _tagged_devices(block_queue)
    with ExitStack() as stack:
        instance = stack.enter_context(open_instance(root, filters))
        # The files have no names: nothing remains if the process is killed.
        drain = Drain(instance, Path(tempfile.gettempdir()))
        stack.callback(drain.close)
        drain.start()
        instance.write("tracing_on", "1")
        try:
            max_in_flight = _sample_in_flight(tagged, roots, run)
        finally:
            instance.write("tracing_on", "0")
            drain.finish()
        if drain.error:
            raise UnableError(
                f"the trace could not be written: {drain.error.strerror}",
                f"free some space in {tempfile.gettempdir()}",
            )
        counter = count_events(drain, handlers)
        occupancy = QueueOccupancy(_queue_limit(tagged), max_in_flight)
        return SubmissionStalls(
            processes=by_process(counter, occupancy, roots),
            nr_requests=occupancy.limit,
            max_in_flight=occupancy.max_in_flight,
            lost_events=instance.lost_events(),
            cpu_s=drain.cpu_s,
            missing=missing,
        )


def find_tracepoints(
    events: Path, numbers: tuple[str, ...]
) -> tuple[dict[str, str], dict[int, EventHandler], tuple[str, ...]]:
    """Return tracepoints with filters, handlers by event number, and notes on missing ones.

    Raises UnableError if this kernel does not trace requests to block devices.
    """
    names = [BIO, _SUBMITTED, _PUNTED, _WAITS, _SWITCH, _DIRECT]
    names += [f"syscalls/sys_{side}_{call}" for call in _CALLS for side in ("enter", "exit")]
    formats = {name: read_event_format(events, name) for name in names}
    available = {name: event for name, event in formats.items() if event is not None}
    if BIO not in available:
        raise UnableError(
            "this kernel does not trace requests to block devices (block:block_bio_queue)",
            "run stallscope io queue without --interval, which shows everything but stalls",
        )
    filters = dict.fromkeys(available, "")
    filters[BIO] = " || ".join(f"dev == {_kernel_number(number)}" for number in numbers)
    filters |= {_SWITCH: f"prev_state == {_UNINTERRUPTIBLE}"} if _SWITCH in available else {}
    if "syscalls/sys_enter_io_uring_enter" in available:
        filters["syscalls/sys_enter_io_uring_enter"] = "to_submit > 0"
    handlers = {event.number: _handler(event) for event in available.values()}
    missing = tuple(text for name, text in _MISSING.items() if name not in available)
    return filters, handlers, missing


def _kernel_number(number: str) -> int:
    """Return a device number in the kernel's format: 12 and 20 bits."""
    major, _, minor = number.partition(":")
    return int(major) << 20 | int(minor)


def _handler(format_: EventFormat) -> EventHandler:
    if format_.name.startswith("syscalls/sys_enter"):
        return lambda counter, event: counter.entered(event.pid, event.t_ns)
    if format_.name.startswith("syscalls/sys_exit") or format_.name == _WAITS:
        return lambda counter, event: counter.left(event.pid, event.t_ns)
    if format_.name == _SWITCH:
        return lambda counter, event: counter.blocked(event.pid)
    if format_.name == BIO:
        return _bio_handler(format_)
    if format_.name == _DIRECT:
        return _direct_io_handler(format_)
    return _request_handler(format_)


def _bio_handler(format_: EventFormat) -> EventHandler:
    unpack = format_.reader("comm").unpack_from

    def handle(counter: SubmissionCounter, event: RingEvent) -> None:
        name = unpack(event.record)[0].split(b"\0", 1)[0]
        counter.bio(event.pid, name.decode("utf-8", "replace"))

    return handle


def _request_handler(format_: EventFormat) -> EventHandler:
    unpack = format_.reader("opcode").unpack_from
    is_punt = format_.name == _PUNTED

    def handle(counter: SubmissionCounter, event: RingEvent) -> None:
        opcode = unpack(event.record)[0]
        if is_punt:
            counter.punted(event.pid, opcode)
        else:
            counter.submitted(event.pid, opcode)

    return handle


def _direct_io_handler(format_: EventFormat) -> EventHandler:
    unpack = format_.reader("isize", "pos", "count", "ki_flags").unpack_from

    def handle(counter: SubmissionCounter, event: RingEvent) -> None:
        size, position, count, flags = unpack(event.record)
        if flags & _WRITE_FLAG:
            counter.direct_write(event.pid, appends=position + count > size)

    return handle


def count_events(drain: Drain, handlers: dict[int, EventHandler]) -> SubmissionCounter:
    """Return the counts of the drained pages; about 2 us per event."""
    counter = SubmissionCounter()
    streams = [ring_events(file, cpu, drain.page_bytes) for cpu, file in drain.pages.items()]
    for event in heapq.merge(*streams, key=lambda event: event.t_ns):
        handler = handlers.get(event.number)
        if handler is not None:
            handler(counter, event)
        elif event.number == LOST:
            counter.lost()
    return counter


def requested_devices(block_queue: BlockQueue) -> tuple[str, ...]:
    """Return the devices that receive the path's requests: for a partition, its disk."""
    numbers: list[str] = []
    devices_by_name = {device.name: device for device in block_queue.devices}
    for device in block_queue.devices:
        if device.level == 0 and device.kind is DeviceKind.PARTITION:
            numbers += [
                devices_by_name[name].number for name in device.below if name in devices_by_name
            ]
        elif device.level == 0:
            numbers.append(device.number)
    return tuple(dict.fromkeys(numbers))


def _tagged_devices(block_queue: BlockQueue) -> tuple[QueueDevice, ...]:
    """Return the devices with tags, the nearest to the path first."""
    return tuple(
        device for device in block_queue.devices if device.queue and device.queue.nr_requests
    )


def _queue_limit(tagged: tuple[QueueDevice, ...]) -> int | None:
    limits = [device.queue.nr_requests for device in tagged[:1] if device.queue]
    return limits[0] if limits else None


def _sample_in_flight(
    tagged: tuple[QueueDevice, ...], roots: Roots, run: Callable[[], None]
) -> int | None:
    """Return the most requests sampled in flight on the nearest device with tags.

    The result is None if there is no such device or no sample succeeded.
    """
    if not tagged:
        run()
        return None
    path = roots.sys / "dev" / "block" / tagged[0].number / "inflight"
    maximum: int | None = None
    stop = threading.Event()

    def sample() -> None:
        nonlocal maximum
        while not stop.wait(SAMPLE_S):
            words = (read_text(path, 256) or "").split()
            if len(words) == 2 and all(word.isdecimal() for word in words):
                maximum = max(maximum or 0, sum(map(int, words)))

    thread = threading.Thread(target=sample, name="in-flight", daemon=True)
    thread.start()
    try:
        run()
    finally:
        stop.set()
        thread.join()
    return maximum


def by_process(
    counter: SubmissionCounter, occupancy: QueueOccupancy, roots: Roots
) -> tuple[ProcessStalls, ...]:
    """Return the processes that used the devices, the one with the most waits first."""
    threads_by_process: dict[int, dict[int, ThreadCounts]] = {}
    for tid, thread in counter.threads.items():
        threads_by_process.setdefault(_process_of(tid, thread.name, roots), {})[tid] = thread
    stalls = [
        process_stalls(pid, _process_name(pid, threads, roots), threads.values(), occupancy)
        for pid, threads in threads_by_process.items()
        if any(thread.bios for thread in threads.values())
    ]
    return tuple(
        sorted(
            stalls,
            key=lambda process: (
                -process.punts - process.blocked_calls,
                -process.requests,
                process.pid,
            ),
        )
    )


def _process_of(tid: int, name: str, roots: Roots) -> int:
    """Return a thread's process; for a worker that has ended, its owner; else the thread."""
    for line in (read_text(roots.proc / str(tid) / "status", 4096) or "").splitlines():
        label, _, value = line.partition(":")
        if label == "Tgid" and value.strip().isdecimal():
            return int(value)
    owner = name.removeprefix("iou-wrk-").removeprefix("iou-sqp-")
    return int(owner) if owner != name and owner.isdecimal() else tid


def _process_name(pid: int, threads: dict[int, ThreadCounts], roots: Roots) -> str:
    main_thread = threads.get(pid)
    return (
        read_text(roots.proc / str(pid) / "comm", 64)
        or (main_thread.name if main_thread else "")
        or next(iter(threads.values())).name
    )
