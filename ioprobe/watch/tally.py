"""Totals of watched requests: by device and direction, by size, by process and over time."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ioprobe.watch.histograms import Integers, LatencyCounts, LatencyHeatMap
from ioprobe.watch.processes import Process, ProcessTable
from stallscope._native import BlockRequests

OPERATIONS = ("read", "write", "discard", "flush", "other")
MAX_PROCESS_ROWS = 512  # further processes are counted together
OTHERS = Process(-1, "")  # the row of these further processes
MAX_ERRORS = 64  # kinds
# Two numbers are packed into one key, because sorting pairs takes ten times as long.
_KEY_BITS = 31
_KEY_MASK = (1 << _KEY_BITS) - 1
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class CompletedRequests:
    """Completed requests as columns of shape (n_requests,); see BlockRequests.finished()."""

    end_ns: Integers
    queue_ns: Integers  # -1 if unknown
    device_ns: Integers
    device: Integers
    size_bytes: Integers
    tid: Integers
    error: Integers
    operation: Integers
    name: Integers  # index into names
    names: list[bytes]

    @classmethod
    def take(cls, requests: BlockRequests) -> "CompletedRequests":
        """Return the requests completed since the last call."""
        end, queue, device_ns, device, size, tid, error, operation, name, names = (
            requests.finished()
        )
        return cls(
            end_ns=_int64(end),
            queue_ns=_int64(queue),
            device_ns=_int64(device_ns),
            device=_int64(device),
            size_bytes=_int64(size),
            tid=_int64(tid),
            error=_int64(error),
            operation=_int64(operation),
            name=_int64(name),
            names=names,
        )

    def select(self, mask: Flags) -> "CompletedRequests":
        """Return the requests at which the mask is set."""
        return CompletedRequests(
            self.end_ns[mask],
            self.queue_ns[mask],
            self.device_ns[mask],
            self.device[mask],
            self.size_bytes[mask],
            self.tid[mask],
            self.error[mask],
            self.operation[mask],
            self.name[mask],
            self.names,
        )

    @property
    def total_ns(self) -> Integers:
        """Return the times from the first event of each request to its completion."""
        return np.maximum(self.queue_ns, 0) + self.device_ns


def _int64(column: npt.NDArray[Any]) -> Integers:
    return column.astype(np.int64)


@dataclass(slots=True)
class RequestTotals:
    """Number, bytes and latencies of requests."""

    requests: int = 0
    bytes: int = 0
    queue: LatencyCounts = field(default_factory=LatencyCounts)  # of known queue times only
    device: LatencyCounts = field(default_factory=LatencyCounts)
    total: LatencyCounts = field(default_factory=LatencyCounts)
    errors: dict[int, int] = field(default_factory=dict)

    def add(self, completed: CompletedRequests) -> None:
        """Count requests."""
        self.requests += completed.end_ns.size
        self.bytes += int(completed.size_bytes.sum())
        self.queue.add(completed.queue_ns[completed.queue_ns >= 0])
        self.device.add(completed.device_ns)
        self.total.add(completed.total_ns)
        for error in completed.error[completed.error != 0].tolist():
            error_key = error if error in self.errors or len(self.errors) < MAX_ERRORS else 0
            self.errors[error_key] = self.errors.get(error_key, 0) + 1


SizeClass = tuple[int, int]  # minimum and maximum bytes
DeviceOperation = tuple[int, int]  # the device's number, the operation's index


@dataclass(slots=True)
class RequestTally:
    """Totals of all watched requests; ``pids`` are the processes that count, all if empty."""

    heat: LatencyHeatMap
    process_table: ProcessTable
    pids: frozenset[int] = frozenset()
    devices: dict[DeviceOperation, RequestTotals] = field(default_factory=dict)
    sizes: dict[tuple[DeviceOperation, SizeClass], RequestTotals] = field(default_factory=dict)
    processes: dict[tuple[DeviceOperation, Process], RequestTotals] = field(default_factory=dict)
    others: int = 0  # requests of processes that do not count

    def add(self, completed: CompletedRequests) -> CompletedRequests:
        """Count requests; return those of processes that count."""
        processes = self._processes(completed)
        if self.pids:
            mask = self._pid_mask(completed, processes)
            self.others += int((~mask).sum())
            completed = completed.select(mask)
        self.heat.add(completed.end_ns, completed.total_ns)
        keys = completed.device << _KEY_BITS | completed.operation
        for key, group in _split(completed, keys):
            device_operation = (key >> _KEY_BITS, key & _KEY_MASK)
            self.devices.setdefault(device_operation, RequestTotals()).add(group)
            for octave, same_size in _split(group, _octaves(group.size_bytes)):
                size_key = (device_operation, _size_class(octave))
                self.sizes.setdefault(size_key, RequestTotals()).add(same_size)
            for thread, same_thread in _split(group, _thread_keys(group)):
                self._process_totals(device_operation, processes[thread]).add(same_thread)
        return completed

    def _processes(self, completed: CompletedRequests) -> dict[int, Process]:
        """Return the processes of threads, by the threads' keys."""
        return {
            key: self.process_table.process_of(key >> _KEY_BITS, completed.names[key & _KEY_MASK])
            for key in np.unique(_thread_keys(completed)).tolist()
        }

    def _pid_mask(self, completed: CompletedRequests, processes: Mapping[int, Process]) -> Flags:
        keys = [key for key, process in processes.items() if process.pid in self.pids]
        return np.isin(_thread_keys(completed), keys)

    def _process_totals(self, device_operation: DeviceOperation, process: Process) -> RequestTotals:
        totals = self.processes.get((device_operation, process))
        if totals is None:
            if len(self.processes) >= MAX_PROCESS_ROWS:
                process = OTHERS
            totals = self.processes.setdefault((device_operation, process), RequestTotals())
        return totals


def _thread_keys(completed: CompletedRequests) -> Integers:
    """Return a key of each request's thread: its number, and the index of its name."""
    keys: Integers = completed.tid << _KEY_BITS | completed.name
    return keys


def _split(completed: CompletedRequests, keys: Integers) -> "list[tuple[int, CompletedRequests]]":
    """Return the requests in groups of equal keys."""
    unique, places = np.unique(keys, return_inverse=True)
    if unique.size == 1:
        return [(int(unique[0]), completed)]
    return [(key, completed.select(places == place)) for place, key in enumerate(unique.tolist())]


def _octaves(size_bytes: Integers) -> Integers:
    """Return the exponent of the largest power of two in each size; -1 for size 0."""
    return np.frexp(size_bytes.astype(np.float64))[1].astype(np.int64) - 1


def _size_class(octave: int) -> SizeClass:
    return (0, 0) if octave < 0 else (1 << octave, (2 << octave) - 1)
