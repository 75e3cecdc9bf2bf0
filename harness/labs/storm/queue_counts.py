"""Counters of the reference server's I/O queue, read before and after a run."""

import time
from dataclasses import dataclass

from harness.workload.server import RunningServer
from harness.workload.server_queries import info
from stallscope.errors import TargetError
from stallscope.system_files import Roots
from topdown.slots.without_pmu.process_files import read_thread

_WRITTEN = "disk_compaction_written_bytes"
_CLASSES = ("disk_class_queries", "disk_class_compaction")


@dataclass(frozen=True, slots=True)
class QueueReading:
    """Counters since the server's start; integrals are requests times ns, summed over classes."""

    time_s: float
    written_bytes: int  # by compaction
    queued_ns: int
    executing_ns: int
    on_cpu_ns: int | None  # of the server's threads; None if the kernel does not report it
    runnable_ns: int | None  # time that the threads waited for a CPU


@dataclass(frozen=True, slots=True)
class QueueUse:
    """The use of the queue between two readings."""

    written_bytes: int
    written_bytes_per_s: float
    pending: float  # mean number of requests in the queue
    in_flight: float  # mean number of requests on the disk
    cpu_delay_share: float | None  # share of time that the server's threads waited for a CPU


def read_queue(server: RunningServer) -> QueueReading:
    """Return the current counters; raises TargetError if INFO does not have them."""
    fields = info(server.target, "disk")
    classes = [
        dict(part.partition("=")[::2] for part in fields.get(name, "").split(","))
        for name in _CLASSES
    ]
    on_cpu_ns, runnable_ns = _thread_times(server)
    return QueueReading(
        time_s=time.monotonic(),
        written_bytes=_count(server, fields, _WRITTEN),
        queued_ns=sum(_count(server, counts, "queued_ns") for counts in classes),
        executing_ns=sum(_count(server, counts, "executing_ns") for counts in classes),
        on_cpu_ns=on_cpu_ns,
        runnable_ns=runnable_ns,
    )


def queue_use(before: QueueReading, after: QueueReading) -> QueueUse:
    """Return the use of the queue between two readings of a server."""
    seconds = after.time_s - before.time_s
    written = after.written_bytes - before.written_bytes
    return QueueUse(
        written_bytes=written,
        written_bytes_per_s=written / seconds,
        pending=(after.queued_ns - before.queued_ns) / seconds / 1e9,
        in_flight=(after.executing_ns - before.executing_ns) / seconds / 1e9,
        cpu_delay_share=_delay_share(before, after),
    )


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
