"""Counters of the reference server's I/O queue, read before and after a run, and during it."""

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from harness.workload.server import RunningServer
from harness.workload.server_queries import info
from ioprobe.storm import StormPoint
from stallscope.errors import TargetError
from stallscope.machine_time import MachineTime, read_machine_time
from stallscope.system_files import Roots
from topdown.slots.without_pmu.process_files import read_thread

_COMPACTED = "disk_compaction_written_bytes"
_ANSWERED = "disk_answered"
_COUNTED_AT = "disk_counted_at_ns"
_CLASSES = ("disk_class_queries", "disk_class_compaction")


@dataclass(frozen=True, slots=True)
class QueueReading:
    """Counters since the server's start; integrals are requests times ns, summed over classes."""

    time_s: float  # of the counters, by the monotonic clock
    written_bytes: int  # by compaction and by clients
    answered: int  # commands on values
    machine: MachineTime | None
    queued_ns: int
    executing_ns: int
    on_cpu_ns: int | None  # of the server's threads; None if the kernel does not report it
    runnable_ns: int | None  # time that the threads waited for a CPU


@dataclass(frozen=True, slots=True)
class DiskQueueUse:
    """The use of the queue between two readings."""

    written_bytes: int
    written_bytes_per_s: float
    pending: float  # mean number of requests in the queue
    in_flight: float  # mean number of requests on the disk
    cpu_delay_share: float | None  # share of time that the server's threads waited for a CPU
    replies_per_s: float
    iowait_share: float | None  # of all CPUs' time


def read_queue(server: RunningServer) -> QueueReading:
    """Return the current counters; raises TargetError if INFO does not have them."""
    fields = info(server.target, "disk")
    classes = [
        dict(part.partition("=")[::2] for part in fields.get(name, "").split(","))
        for name in _CLASSES
    ]
    on_cpu_ns, runnable_ns = _thread_times(server)
    return QueueReading(
        time_s=_count(server, fields, _COUNTED_AT) / 1e9,
        written_bytes=_count(server, fields, _COMPACTED)
        + _count(server, classes[0], "written_bytes"),
        answered=_count(server, fields, _ANSWERED),
        machine=read_machine_time(Roots().proc),
        queued_ns=sum(_count(server, counts, "queued_ns") for counts in classes),
        executing_ns=sum(_count(server, counts, "executing_ns") for counts in classes),
        on_cpu_ns=on_cpu_ns,
        runnable_ns=runnable_ns,
    )


def queue_use(before: QueueReading, after: QueueReading) -> DiskQueueUse:
    """Return the use of the queue between two readings of a server."""
    seconds = after.time_s - before.time_s
    written = after.written_bytes - before.written_bytes
    return DiskQueueUse(
        written_bytes=written,
        written_bytes_per_s=written / seconds,
        pending=(after.queued_ns - before.queued_ns) / seconds / 1e9,
        in_flight=(after.executing_ns - before.executing_ns) / seconds / 1e9,
        cpu_delay_share=_delay_share(before, after),
        replies_per_s=(after.answered - before.answered) / seconds,
        iowait_share=_iowait_share(before.machine, after.machine),
    )


def storm_series(begin_s: float, readings: list[QueueReading]) -> tuple[StormPoint, ...]:
    """Return a point for every interval between two readings, in seconds from ``begin_s``."""
    points = []
    for before, after in itertools.pairwise(readings):
        use = queue_use(before, after)
        points.append(
            StormPoint(
                t_s=after.time_s - begin_s,
                replies_per_s=use.replies_per_s,
                iowait_share=use.iowait_share,
                queued=use.pending,
                below=use.in_flight,
            )
        )
    return tuple(points)


@contextmanager
def queue_readings(server: RunningServer, interval_s: float) -> Iterator[list[QueueReading]]:
    """Read the counters every ``interval_s`` until the end of the block; yield the growing list.

    The readings end early if the server does.
    """
    readings = [read_queue(server)]
    ended = threading.Event()

    def read_repeatedly() -> None:
        with suppress(TargetError):
            while not ended.wait(interval_s):
                readings.append(read_queue(server))

    thread = threading.Thread(target=read_repeatedly, daemon=True)
    thread.start()
    try:
        yield readings
    finally:
        ended.set()
        thread.join()


def _iowait_share(before: MachineTime | None, after: MachineTime | None) -> float | None:
    """Return the share of all CPUs' time; None if it is unknown or no tick has passed.

    The kernel's count of a CPU can fall when tasks that wait move to another one (proc(5)).
    """
    if before is None or after is None or after.all <= before.all:
        return None
    share = (after.iowait - before.iowait) / (after.all - before.all)
    return min(1.0, max(0.0, share))


def _delay_share(before: QueueReading, after: QueueReading) -> float | None:
    """Return the share of time that the threads waited for a CPU; None if it is unknown.

    It is unknown too if on_cpu_ns does not change: the kernel's scheduler statistics are off.
    """
    counters = (before.on_cpu_ns, after.on_cpu_ns, before.runnable_ns, after.runnable_ns)
    if any(counter is None for counter in counters) or after.on_cpu_ns == before.on_cpu_ns:
        return None
    runnable_ns = (after.runnable_ns or 0) - (before.runnable_ns or 0)
    return runnable_ns / 1e9 / (after.time_s - before.time_s)


def _thread_times(server: RunningServer) -> tuple[int | None, int | None]:
    """Return the time in ns that the server's threads ran, and that they waited for a CPU."""
    on_cpu_ns = runnable_ns = 0
    for thread in server.threads:
        reading = read_thread(Roots().proc, server.pid, thread.tid, disk_waits=False)
        if reading is None:
            return None, None
        counts = reading.counts
        if counts.on_cpu_ns is None or counts.queued_ns is None:
            return None, None
        on_cpu_ns += counts.on_cpu_ns
        runnable_ns += counts.queued_ns
    return on_cpu_ns, runnable_ns


def _count(server: RunningServer, fields: dict[str, str], name: str) -> int:
    text = fields.get(name, "")
    if not (text.isascii() and text.isdecimal()):
        raise TargetError(f"{server.target}: INFO disk has no {name}", "run stallscope doctor")
    return int(text)
