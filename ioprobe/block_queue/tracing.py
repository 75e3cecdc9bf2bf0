"""Submission stalls of the running system, by a trace instance of our own around an interval."""

import heapq
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from ioprobe.block_queue.queue import BlockQueue, DeviceKind, QueueDevice
from ioprobe.block_queue.stalls import (
    ProcessStalls,
    QueueRoom,
    Stalls,
    SubmissionCounter,
    ThreadCounts,
    process_stalls,
)
from stallscope.errors import UnableError
from stallscope.system_files import Roots, read_text
from stallscope.tracing.drain import Drain
from stallscope.tracing.event_format import EventFormat, read_event_format
from stallscope.tracing.instance import open_instance, tracefs
from stallscope.tracing.ring_pages import LOST, RingEvent, ring_events

Handler = Callable[[SubmissionCounter, RingEvent], None]
SAMPLE_S = 0.02  # between looks at how many are in flight
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
    _SUBMITTED: "io_uring's requests are not traced, so punts are not told",
    _PUNTED: "what io_uring gives to workers is not traced, so punts are not told",
    "syscalls/sys_enter_io_uring_enter": "system calls are not traced, so blocking is not told",
    _DIRECT: "direct writes of files are not traced, so appending is not told from other causes",
}


def observe_stalls(found: BlockQueue, roots: Roots, run: Callable[[], None]) -> Stalls:
    """Return what submitting to the devices of a path cost while ``run`` ran.

    Raises UnableError where this user or kernel has no tracepoints; ``run`` was not called then.
    """
    root = tracefs()
    filters, handlers, missing = find_points(root / "events", top_numbers(found))
    bounded = _bounded(found)
    with ExitStack() as stack:
        instance = stack.enter_context(open_instance(root, filters))
        # Its files have no names: nothing of them outlives a kill.
        drain = Drain(instance, Path(tempfile.gettempdir()))
        stack.callback(drain.close)
        drain.start()
        instance.write("tracing_on", "1")
        try:
            most = _most_in_flight(bounded, roots, run)
        finally:
            instance.write("tracing_on", "0")
            drain.finish()
        if drain.error:
            raise UnableError(
                f"the trace could not be kept: {drain.error.strerror}", "free some space there"
            )
        counter = count_events(drain, handlers)
        room = QueueRoom(_limit(bounded), most)
        return Stalls(
            processes=by_process(counter, room, roots),
            room=room,
            lost_events=instance.lost_events(),
            cpu_s=drain.cpu_s,
            missing=missing,
        )


def find_points(
    events: Path, numbers: tuple[str, ...]
) -> tuple[dict[str, str], dict[int, Handler], tuple[str, ...]]:
    """Return tracepoints with their filters, handlers by number, and what cannot be told.

    Raises UnableError where this kernel does not trace requests to block devices.
    """
    wanted = [BIO, _SUBMITTED, _PUNTED, _WAITS, _SWITCH, _DIRECT]
    wanted += [f"syscalls/sys_{side}_{call}" for call in _CALLS for side in ("enter", "exit")]
    formats = {name: read_event_format(events, name) for name in wanted}
    there = {name: each for name, each in formats.items() if each is not None}
    if BIO not in there:
        raise UnableError(
            "this kernel does not trace requests to block devices (block:block_bio_queue)",
            "stallscope io queue without --interval tells all but stalls",
        )
    filters = dict.fromkeys(there, "")
    filters[BIO] = " || ".join(f"dev == {_kernel_number(number)}" for number in numbers)
    filters |= {_SWITCH: f"prev_state == {_UNINTERRUPTIBLE}"} if _SWITCH in there else {}
    if "syscalls/sys_enter_io_uring_enter" in there:
        filters["syscalls/sys_enter_io_uring_enter"] = "to_submit > 0"
    handlers = {each.number: _handler(each) for each in there.values()}
    missing = tuple(text for name, text in _MISSING.items() if name not in there)
    return filters, handlers, missing


def _kernel_number(number: str) -> int:
    """Return a device's number as the kernel keeps it in events: 12 bits and 20."""
    major, _, minor = number.partition(":")
    return int(major) << 20 | int(minor)


def _handler(found: EventFormat) -> Handler:
    if found.name.startswith("syscalls/sys_enter"):
        return lambda counter, event: counter.entered(event.pid, event.t_ns)
    if found.name.startswith("syscalls/sys_exit") or found.name == _WAITS:
        return lambda counter, event: counter.left(event.pid, event.t_ns)
    if found.name == _SWITCH:
        return lambda counter, event: counter.blocked(event.pid)
    if found.name == BIO:
        return _bio(found)
    return _direct(found) if found.name == _DIRECT else _request(found)


def _bio(found: EventFormat) -> Handler:
    unpack = found.reader("comm").unpack_from

    def handle(counter: SubmissionCounter, event: RingEvent) -> None:
        name = unpack(event.record)[0].split(b"\0", 1)[0]
        counter.bio(event.pid, name.decode("utf-8", "replace"))

    return handle


def _request(found: EventFormat) -> Handler:
    unpack = found.reader("opcode").unpack_from
    punted = found.name == _PUNTED

    def handle(counter: SubmissionCounter, event: RingEvent) -> None:
        opcode = unpack(event.record)[0]
        if punted:
            counter.punted(event.pid, opcode)
        else:
            counter.submitted(event.pid, opcode)

    return handle


def _direct(found: EventFormat) -> Handler:
    unpack = found.reader("isize", "pos", "count", "ki_flags").unpack_from

    def handle(counter: SubmissionCounter, event: RingEvent) -> None:
        size, position, count, flags = unpack(event.record)
        if flags & _WRITE_FLAG:
            counter.direct_write(event.pid, appends=position + count > size)

    return handle


def count_events(drain: Drain, handlers: dict[int, Handler]) -> SubmissionCounter:
    """Return what the drained pages hold; some 2 us an event."""
    counter = SubmissionCounter()
    streams = [ring_events(file, cpu, drain.page_bytes) for cpu, file in drain.pages.items()]
    for event in heapq.merge(*streams, key=lambda event: event.t_ns):
        handler = handlers.get(event.number)
        if handler is not None:
            handler(counter, event)
        elif event.number == LOST:
            counter.lost()
    return counter


def top_numbers(found: BlockQueue) -> tuple[str, ...]:
    """Return the devices whose requests are the path's: of a partition, its disk."""
    tops: list[str] = []
    by_name = {device.name: device for device in found.devices}
    for device in found.devices:
        if device.level == 0 and device.kind is DeviceKind.PARTITION:
            tops += [by_name[name].number for name in device.below if name in by_name]
        elif device.level == 0:
            tops.append(device.number)
    return tuple(dict.fromkeys(tops))


def _bounded(found: BlockQueue) -> tuple[QueueDevice, ...]:
    """Return the devices with tags of their own, the nearest to the path first."""
    return tuple(each for each in found.devices if each.queue and each.queue.nr_requests)


def _limit(bounded: tuple[QueueDevice, ...]) -> int | None:
    limits = [each.queue.nr_requests for each in bounded[:1] if each.queue]
    return limits[0] if limits else None


def _most_in_flight(
    bounded: tuple[QueueDevice, ...], roots: Roots, run: Callable[[], None]
) -> int | None:
    """Return the most requests that were seen in flight on the nearest bounded device.

    None where it is not known: of no such device, or none of the looks could be taken.
    """
    if not bounded:
        run()
        return None
    path = roots.sys / "dev" / "block" / bounded[0].number / "inflight"
    most: int | None = None
    ends = threading.Event()

    def look() -> None:
        nonlocal most
        while not ends.wait(SAMPLE_S):
            words = (read_text(path, 256) or "").split()
            if len(words) == 2 and all(word.isdecimal() for word in words):
                most = max(most or 0, sum(map(int, words)))

    thread = threading.Thread(target=look, name="in-flight", daemon=True)
    thread.start()
    try:
        run()
    finally:
        ends.set()
        thread.join()
    return most


def by_process(
    counter: SubmissionCounter, room: QueueRoom, roots: Roots
) -> tuple[ProcessStalls, ...]:
    """Return the processes that put requests to the devices, what waited most first."""
    processes: dict[int, list[tuple[int, ThreadCounts]]] = {}
    for tid, thread in counter.threads.items():
        processes.setdefault(_process_of(tid, thread.name, roots), []).append((tid, thread))
    told = [
        process_stalls(pid, _name(pid, threads, roots), [each for _, each in threads], room)
        for pid, threads in processes.items()
        if any(each.bios for _, each in threads)
    ]
    return tuple(
        sorted(told, key=lambda each: (-each.punts - each.blocked_calls, -each.requests, each.pid))
    )


def _process_of(tid: int, name: str, roots: Roots) -> int:
    """Return a thread's process; of one that is gone itself, or whose worker it was."""
    for line in (read_text(roots.proc / str(tid) / "status", 4096) or "").splitlines():
        label, _, value = line.partition(":")
        if label == "Tgid" and value.strip().isdecimal():
            return int(value)
    owner = name.removeprefix("iou-wrk-").removeprefix("iou-sqp-")
    return int(owner) if owner != name and owner.isdecimal() else tid


def _name(pid: int, threads: list[tuple[int, ThreadCounts]], roots: Roots) -> str:
    told = read_text(roots.proc / str(pid) / "comm", 64)
    names: Iterator[str] = (each.name for tid, each in threads if tid == pid and each.name)
    return told or next(names, "") or next((each.name for _, each in threads), "")
