"""Watching the block requests of the whole machine, passively, from the kernel's tracepoints.

Each request is followed from its insertion into its queue over its issue to the device to its
completion; see native/block_trace/pairing.hpp for what happens on the way.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from ioprobe.watch.counts import HeatMap, TimeCounts
from ioprobe.watch.devices import WatchedDevice, finished_by_kernel
from ioprobe.watch.processes import Processes
from ioprobe.watch.tally import Finished, Tally
from ioprobe.watch.tracepoints import BlockTracepoints, block_tracepoints
from stallscope._native import BlockRequests
from stallscope.errors import UnableError
from stallscope.system_files import Roots
from stallscope.tracing.drain import read_pages
from stallscope.tracing.instance import TraceInstance, open_instance, tracefs

EVERY_S = 0.1
TOLD_EVERY_S = 1.0
BUFFER_KB, ALL_BUFFERS_KB = 8192, 512 * 1024  # a CPU's holds 0.4 s of 100,000 requests a second
MOST_CHUNKS = 32  # of one CPU at a time, 32 MiB: what fills faster is overrun, and counted
_LAST_NS = 2**63 - 1


@dataclass(frozen=True, slots=True)
class WatchRequest:
    """What to watch: devices (none: all of ``known``), processes (none: all), and how long."""

    known: tuple[WatchedDevice, ...]
    devices: tuple[WatchedDevice, ...]
    pids: frozenset[int]
    duration_s: float | None


@dataclass(frozen=True, slots=True)
class Progress:
    """What came in since it was told last."""

    seconds: float  # since the begin
    over_s: float
    requests: int
    bytes: int
    p50_ns: float | None
    p99_ns: float | None
    under_way: int
    lost_events: int | None  # None: the kernel did not tell


@dataclass(frozen=True, slots=True)
class Watched:
    """What was watched, what could not be, and what watching took."""

    seconds: float
    tally: Tally
    counts: dict[str, int]  # as BlockRequests.counts()
    lost_events: int | None  # None: the kernel did not tell
    kernel_counts: dict[int, dict[str, int] | None]  # by device: how its own counters moved
    own_cpu_s: float
    buffer_kb: int  # of each CPU
    missing: tuple[str, ...]  # tracepoints


def watch(
    request: WatchRequest,
    wait: Callable[[float], bool],
    progress: Callable[[Progress], None],
) -> Watched:
    """Return what was watched until ``wait`` (of so many seconds) returns True, or time is over.

    Raises UnableError where this user or kernel has no tracepoints.
    """
    root = tracefs()
    points = _tracepoints(root / "events", request)
    buffer_kb = max(256, min(BUFFER_KB, ALL_BUFFERS_KB // (os.cpu_count() or 1)))
    with (
        open_instance(root, points.filters, buffer_kb=buffer_kb) as instance,
        _opened(instance) as descriptors,
    ):
        processes = Processes(kept=_kept_processes(root, instance))
        watching = _Watching(request, points, instance, descriptors, processes)
        return watching.run(wait, progress, buffer_kb)


def _kept_processes(root: Path, instance: TraceInstance) -> Path | None:
    """Have the kernel keep the processes of threads; return where, None where it does not."""
    kept = root / "saved_tgids"
    try:
        instance.write("options/record-tgid", "1")
    except UnableError:  # Linux before 4.14, or one without it
        return None
    return kept if kept.is_file() else None


def _tracepoints(events: Path, request: WatchRequest) -> BlockTracepoints:
    chosen = request.devices or request.known
    bios = [each for each in chosen if each.bio_based and each.size_bytes != 0]
    requests = [each for each in request.devices if not each.bio_based]
    return block_tracepoints(events, tuple(requests) if request.devices else None, bios)


@contextmanager
def _opened(instance: TraceInstance) -> Iterator[dict[int, int]]:
    """Open every CPU's pages: descriptors by CPU."""
    with ExitStack() as stack:
        descriptors = {}
        for cpu in instance.cpus():
            descriptors[cpu] = instance.open_pages(cpu)
            stack.callback(os.close, descriptors[cpu])
        yield descriptors


class _Watching:
    """One watch under way."""

    def __init__(
        self,
        request: WatchRequest,
        points: BlockTracepoints,
        instance: TraceInstance,
        descriptors: dict[int, int],
        processes: Processes,
    ) -> None:
        self._request = request
        self._points = points
        self._instance = instance
        self._descriptors = descriptors
        self._page_bytes = instance.page_bytes()
        disks = {part: each.number for each in request.known for part in each.partitions}
        self._requests = BlockRequests(points.layouts, self._page_bytes, disks)
        self._tally = Tally(HeatMap(time.monotonic_ns()), processes, request.pids)
        self._told = _Told(time.monotonic())

    def run(
        self,
        wait: Callable[[float], bool],
        progress: Callable[[Progress], None],
        buffer_kb: int,
    ) -> Watched:
        """Watch until it ends."""
        devices = self._request.devices or self._request.known
        cpu_s = time.process_time()
        before = _kernel_counts(devices)
        self._instance.write("tracing_on", "1")
        self._tally.heat.begin_ns = time.monotonic_ns()
        began_s = time.monotonic()
        self._follow(began_s, wait, progress)
        self._instance.write("tracing_on", "0")
        seconds = time.monotonic() - began_s
        after = _kernel_counts(devices)
        self._read()
        self._settle(_LAST_NS)
        return Watched(
            seconds=seconds,
            tally=self._tally,
            counts=self._requests.counts(),
            lost_events=self._instance.lost_events(),
            kernel_counts={number: _grown(before[number], after[number]) for number in before},
            own_cpu_s=time.process_time() - cpu_s,
            buffer_kb=buffer_kb,
            missing=self._points.missing,
        )

    def _follow(
        self, began_s: float, wait: Callable[[float], bool], progress: Callable[[Progress], None]
    ) -> None:
        duration_s = self._request.duration_s
        while True:
            now_s = time.monotonic()
            left_s = EVERY_S if duration_s is None else began_s + duration_s - now_s
            if left_s <= 0 or wait(min(EVERY_S, left_s)):
                return
            until_ns = time.monotonic_ns()
            self._read(MOST_CHUNKS)
            self._settle(until_ns)
            if time.monotonic() - self._told.at_s >= TOLD_EVERY_S:
                progress(self._progress(began_s))

    def _read(self, most_chunks: int | None = None) -> None:
        for cpu, descriptor in self._descriptors.items():
            for _ in range(most_chunks) if most_chunks else count():
                pages = read_pages(descriptor, self._page_bytes)
                if not pages:
                    break
                self._requests.add_pages(cpu, pages)

    def _settle(self, until_ns: int) -> None:
        self._requests.settle(until_ns)
        some = Finished.of(self._requests)
        self._told.add(self._tally.add(some))

    def _progress(self, began_s: float) -> Progress:
        now_s = time.monotonic()
        told, self._told = self._told, _Told(now_s)
        latencies = told.total.latencies()
        return Progress(
            seconds=now_s - began_s,
            over_s=now_s - told.at_s,
            requests=told.total.count,
            bytes=told.bytes,
            p50_ns=latencies.p50 if latencies else None,
            p99_ns=latencies.p99 if latencies else None,
            under_way=self._requests.counts()["under_way"],
            lost_events=self._instance.lost_events(),
        )


@dataclass(slots=True)
class _Told:
    """What came in since a moment."""

    at_s: float
    bytes: int = 0
    total: TimeCounts = field(default_factory=TimeCounts)

    def add(self, some: Finished) -> None:
        """Count requests."""
        self.bytes += int(some.size_bytes.sum())
        self.total.add(some.total_ns)


def _kernel_counts(devices: Sequence[WatchedDevice]) -> dict[int, dict[str, int] | None]:
    return {each.number: finished_by_kernel(each, Roots()) for each in devices}


def _grown(before: dict[str, int] | None, after: dict[str, int] | None) -> dict[str, int] | None:
    if before is None or after is None:
        return None
    return {name: after[name] - value for name, value in before.items()}
