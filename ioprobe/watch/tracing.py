"""Passive measurement of the machine's block requests, from kernel tracepoints.

Each request is followed from its insertion into a queue and its issue to the device to its
completion; the native class BlockRequests pairs the events (native/block_trace/pairing.hpp).
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from ioprobe.watch.devices import WatchedDevice, kernel_request_counts
from ioprobe.watch.histograms import LatencyCounts, LatencyHeatMap
from ioprobe.watch.processes import ProcessTable
from ioprobe.watch.tally import CompletedRequests, RequestTally
from ioprobe.watch.tracepoints import BlockTracepoints, block_tracepoints
from stallscope._native import BlockRequests
from stallscope.errors import UnableError
from stallscope.system_files import Roots
from stallscope.tracing.drain import read_pages
from stallscope.tracing.instance import TraceInstance, open_instance, tracefs

POLL_S = 0.1
PROGRESS_S = 1.0
# Per CPU and in total; one CPU's buffer holds 0.4 s of 100,000 requests per second.
BUFFER_KB, MAX_TOTAL_BUFFER_KB = 8192, 512 * 1024
MAX_CHUNKS = 32  # per CPU and poll, 32 MiB; a faster buffer overruns, and lost events are counted
_END_OF_TIME_NS = 2**63 - 1


@dataclass(frozen=True, slots=True)
class WatchScope:
    """The devices (all of ``known`` if empty), processes (all if empty) and time to watch."""

    known: tuple[WatchedDevice, ...]
    devices: tuple[WatchedDevice, ...]
    pids: frozenset[int]
    duration_s: float | None


@dataclass(frozen=True, slots=True)
class WatchProgress:
    """Requests since the last progress report."""

    seconds: float  # since the start
    interval_s: float
    requests: int
    bytes: int
    p50_ns: float | None
    p99_ns: float | None
    in_flight: int
    lost_events: int | None  # since the start; None if the kernel does not report it


@dataclass(frozen=True, slots=True)
class WatchMeasurement:
    """Totals of a watch, its losses and its overhead."""

    seconds: float
    tally: RequestTally
    counts: dict[str, int]  # as BlockRequests.counts()
    lost_events: int | None  # None if the kernel does not report it
    kernel_counts: dict[int, dict[str, int] | None]  # increments of the kernel's own counters
    own_cpu_s: float
    buffer_kb: int  # per CPU
    missing: tuple[str, ...]  # tracepoints


def watch(
    scope: WatchScope,
    wait: Callable[[float], bool],
    on_progress: Callable[[WatchProgress], None],
) -> WatchMeasurement:
    """Return the requests until ``wait`` (for some seconds) returns True, or the time is over.

    Raises UnableError if this user or kernel has no tracepoints.
    """
    root = tracefs()
    tracepoints = _tracepoints(root / "events", scope)
    buffer_kb = max(256, min(BUFFER_KB, MAX_TOTAL_BUFFER_KB // (os.cpu_count() or 1)))
    with (
        open_instance(root, tracepoints.filters, buffer_kb=buffer_kb) as instance,
        _open_pages(instance) as descriptors,
    ):
        processes = ProcessTable(saved_tgids=_enable_saved_tgids(root, instance))
        trace = _BlockTrace(scope, tracepoints, instance, descriptors, processes)
        return trace.run(wait, on_progress, buffer_kb)


def _enable_saved_tgids(root: Path, instance: TraceInstance) -> Path | None:
    """Return the file in which the kernel saves processes of threads; None if unsupported."""
    path = root / "saved_tgids"
    try:
        instance.write("options/record-tgid", "1")
    except UnableError:  # Linux before 4.14, or a kernel without the option
        return None
    return path if path.is_file() else None


def _tracepoints(events: Path, scope: WatchScope) -> BlockTracepoints:
    chosen = scope.devices or scope.known
    bios = [device for device in chosen if device.bio_based and device.size_bytes != 0]
    requests = [device for device in scope.devices if not device.bio_based]
    return block_tracepoints(events, tuple(requests) if scope.devices else None, bios)


@contextmanager
def _open_pages(instance: TraceInstance) -> Iterator[dict[int, int]]:
    """Yield descriptors of the trace pages, by CPU."""
    with ExitStack() as stack:
        descriptors = {}
        for cpu in instance.cpus():
            descriptors[cpu] = instance.open_pages(cpu)
            stack.callback(os.close, descriptors[cpu])
        yield descriptors


class _BlockTrace:
    """A running watch."""

    def __init__(
        self,
        scope: WatchScope,
        tracepoints: BlockTracepoints,
        instance: TraceInstance,
        descriptors: dict[int, int],
        processes: ProcessTable,
    ) -> None:
        self._scope = scope
        self._tracepoints = tracepoints
        self._instance = instance
        self._descriptors = descriptors
        self._page_bytes = instance.page_bytes()
        disks = {
            partition: device.number for device in scope.known for partition in device.partitions
        }
        self._requests = BlockRequests(tracepoints.layouts, self._page_bytes, disks)
        self._tally = RequestTally(LatencyHeatMap(time.monotonic_ns()), processes, scope.pids)
        self._window = _ProgressWindow(time.monotonic())

    def run(
        self,
        wait: Callable[[float], bool],
        on_progress: Callable[[WatchProgress], None],
        buffer_kb: int,
    ) -> WatchMeasurement:
        """Watch until the end and return the totals."""
        devices = self._scope.devices or self._scope.known
        cpu_s = time.process_time()
        before = _kernel_counts(devices)
        self._instance.write("tracing_on", "1")
        self._tally.heat.begin_ns = time.monotonic_ns()
        start_s = time.monotonic()
        self._poll_until_end(start_s, wait, on_progress)
        self._instance.write("tracing_on", "0")
        seconds = time.monotonic() - start_s
        after = _kernel_counts(devices)
        self._read_pages()
        self._settle(_END_OF_TIME_NS)
        return WatchMeasurement(
            seconds=seconds,
            tally=self._tally,
            counts=self._requests.counts(),
            lost_events=self._instance.lost_events(),
            kernel_counts={number: _increments(before[number], after[number]) for number in before},
            own_cpu_s=time.process_time() - cpu_s,
            buffer_kb=buffer_kb,
            missing=self._tracepoints.missing,
        )

    def _poll_until_end(
        self,
        start_s: float,
        wait: Callable[[float], bool],
        on_progress: Callable[[WatchProgress], None],
    ) -> None:
        duration_s = self._scope.duration_s
        while True:
            now_s = time.monotonic()
            left_s = POLL_S if duration_s is None else start_s + duration_s - now_s
            if left_s <= 0 or wait(min(POLL_S, left_s)):
                return
            until_ns = time.monotonic_ns()
            self._read_pages(MAX_CHUNKS)
            self._settle(until_ns)
            if time.monotonic() - self._window.start_s >= PROGRESS_S:
                on_progress(self._progress(start_s))

    def _read_pages(self, max_chunks: int | None = None) -> None:
        for cpu, descriptor in self._descriptors.items():
            for _ in range(max_chunks) if max_chunks else count():
                pages = read_pages(descriptor, self._page_bytes)
                if not pages:
                    break
                self._requests.add_pages(cpu, pages)

    def _settle(self, until_ns: int) -> None:
        self._requests.settle(until_ns)
        completed = CompletedRequests.take(self._requests)
        self._window.add(self._tally.add(completed))

    def _progress(self, start_s: float) -> WatchProgress:
        now_s = time.monotonic()
        window, self._window = self._window, _ProgressWindow(now_s)
        latencies = window.latencies.latencies()
        return WatchProgress(
            seconds=now_s - start_s,
            interval_s=now_s - window.start_s,
            requests=window.latencies.count,
            bytes=window.bytes,
            p50_ns=latencies.p50 if latencies else None,
            p99_ns=latencies.p99 if latencies else None,
            in_flight=self._requests.counts()["under_way"],
            lost_events=self._instance.lost_events(),
        )


@dataclass(slots=True)
class _ProgressWindow:
    """Requests since the last progress report."""

    start_s: float
    bytes: int = 0
    latencies: LatencyCounts = field(default_factory=LatencyCounts)

    def add(self, completed: CompletedRequests) -> None:
        """Count requests."""
        self.bytes += int(completed.size_bytes.sum())
        self.latencies.add(completed.total_ns)


def _kernel_counts(devices: Sequence[WatchedDevice]) -> dict[int, dict[str, int] | None]:
    return {device.number: kernel_request_counts(device, Roots()) for device in devices}


def _increments(
    before: dict[str, int] | None, after: dict[str, int] | None
) -> dict[str, int] | None:
    if before is None or after is None:
        return None
    return {name: after[name] - value for name, value in before.items()}
