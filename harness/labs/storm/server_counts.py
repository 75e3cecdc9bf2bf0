"""What the reference server counts of its I/O queue, read before and after a run."""

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
    """Counts since the server's start; integrals are requests times ns, of both classes."""

    at_s: float
    written_bytes: int  # by compaction
    queued_ns: int
    executing_ns: int
    on_cpu_ns: int | None  # of the server's threads; None where the kernel does not tell
    waited_ns: int | None  # for a CPU


@dataclass(frozen=True, slots=True)
class QueueUse:
    """What passed between two readings."""

    written_bytes: int
    written_bytes_per_s: float
    pending: float  # mean requests in the queue
    in_flight: float  # mean requests on the disk
    cpu_delay_share: float | None  # of the time, the server's threads waited for a CPU


def read_queue(server: RunningServer) -> QueueReading:
    """Return the counts so far; TargetError where INFO has them not."""
    told = info(server.target, "disk")
    classes = [dict(part.partition("=")[::2] for part in told.get(name, "").split(","))
               for name in _CLASSES]  # fmt: skip
    on_cpu, waited = _thread_times(server)
    return QueueReading(
        at_s=time.monotonic(),
        written_bytes=_count(server, told, _WRITTEN),
        queued_ns=sum(_count(server, one, "queued_ns") for one in classes),
        executing_ns=sum(_count(server, one, "executing_ns") for one in classes),
        on_cpu_ns=on_cpu,
        waited_ns=waited,
    )


def queue_use(before: QueueReading, after: QueueReading) -> QueueUse:
    """Return what passed between two readings of a server."""
    seconds = after.at_s - before.at_s
    written = after.written_bytes - before.written_bytes
    return QueueUse(
        written_bytes=written,
        written_bytes_per_s=written / seconds,
        pending=(after.queued_ns - before.queued_ns) / seconds / 1e9,
        in_flight=(after.executing_ns - before.executing_ns) / seconds / 1e9,
        cpu_delay_share=_delay_share(before, after),
    )


def _delay_share(before: QueueReading, after: QueueReading) -> float | None:
    """Return None also where the kernel's scheduler statistics are off, and stand still."""
    known = (before.on_cpu_ns, after.on_cpu_ns, before.waited_ns, after.waited_ns)
    if any(one is None for one in known) or after.on_cpu_ns == before.on_cpu_ns:
        return None
    waited = (after.waited_ns or 0) - (before.waited_ns or 0)
    return waited / 1e9 / (after.at_s - before.at_s)


def _thread_times(server: RunningServer) -> tuple[int | None, int | None]:
    """Return the time that the server's threads ran, and that they waited for a CPU, in ns."""
    on_cpu = waited = 0
    for thread in server.threads:
        look = read_thread(Roots().proc, server.pid, thread.tid, disk_waits=False)
        if look is None or look.counts.on_cpu_ns is None or look.counts.queued_ns is None:
            return None, None
        on_cpu += look.counts.on_cpu_ns
        waited += look.counts.queued_ns
    return on_cpu, waited


def _count(server: RunningServer, told: dict[str, str], name: str) -> int:
    text = told.get(name, "")
    if not (text.isascii() and text.isdecimal()):
        raise TargetError(f"{server.target}: INFO disk has no {name}", "run stallscope doctor")
    return int(text)
