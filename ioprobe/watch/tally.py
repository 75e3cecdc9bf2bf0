"""What watched requests add up to: by device and direction, by size, by process, over time."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ioprobe.watch.counts import HeatMap, Integers, TimeCounts
from ioprobe.watch.processes import Process, Processes
from stallscope._native import BlockRequests

OPERATIONS = ("read", "write", "discard", "flush", "other")
MOST_PROCESS_ROWS = 512  # then all further ones are counted together
OTHERS = Process(-1, "")  # stands for those
MOST_ERRORS = 64  # kinds
_KEY_BITS = 31  # two numbers of a request in one, as sorting pairs takes ten times as long
_KEY_MASK = (1 << _KEY_BITS) - 1
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Finished:
    """Requests that completed, as columns (n_requests,); see BlockRequests.finished()."""

    end_ns: Integers
    queue_ns: Integers  # -1 where unknown
    device_ns: Integers
    device: Integers
    size_bytes: Integers
    tid: Integers
    error: Integers
    operation: Integers
    name: Integers  # place in names
    names: list[bytes]

    @classmethod
    def of(cls, requests: BlockRequests) -> "Finished":
        """Return what completed since the last call."""
        end, queue, device_ns, device, size, tid, error, operation, name, names = (
            requests.finished()
        )
        return cls(
            end_ns=_whole(end),
            queue_ns=_whole(queue),
            device_ns=_whole(device_ns),
            device=_whole(device),
            size_bytes=_whole(size),
            tid=_whole(tid),
            error=_whole(error),
            operation=_whole(operation),
            name=_whole(name),
            names=names,
        )

    def chosen(self, where: Flags) -> "Finished":
        """Return some of the requests."""
        return Finished(
            self.end_ns[where],
            self.queue_ns[where],
            self.device_ns[where],
            self.device[where],
            self.size_bytes[where],
            self.tid[where],
            self.error[where],
            self.operation[where],
            self.name[where],
            self.names,
        )

    @property
    def total_ns(self) -> Integers:
        """Return the time from the first that was seen of each to its end."""
        return np.maximum(self.queue_ns, 0) + self.device_ns


def _whole(column: npt.NDArray[Any]) -> Integers:
    return column.astype(np.int64)


@dataclass(slots=True)
class Row:
    """Requests of one kind: how many, how large, and their times."""

    requests: int = 0
    bytes: int = 0
    queue: TimeCounts = field(default_factory=TimeCounts)  # of those whose queue time is known
    device: TimeCounts = field(default_factory=TimeCounts)
    total: TimeCounts = field(default_factory=TimeCounts)
    errors: dict[int, int] = field(default_factory=dict)

    def add(self, some: Finished) -> None:
        """Count requests."""
        self.requests += some.end_ns.size
        self.bytes += int(some.size_bytes.sum())
        self.queue.add(some.queue_ns[some.queue_ns >= 0])
        self.device.add(some.device_ns)
        self.total.add(some.total_ns)
        for error in some.error[some.error != 0].tolist():
            kept = error if error in self.errors or len(self.errors) < MOST_ERRORS else 0
            self.errors[kept] = self.errors.get(kept, 0) + 1


SizeClass = tuple[int, int]  # least and most bytes
ByDevice = tuple[int, int]  # the device's number, the operation's place


@dataclass(slots=True)
class Tally:
    """All that was watched; ``only``: processes that count, all where empty."""

    heat: HeatMap
    processes_of: Processes
    only: frozenset[int] = frozenset()
    devices: dict[ByDevice, Row] = field(default_factory=dict)
    sizes: dict[tuple[ByDevice, SizeClass], Row] = field(default_factory=dict)
    processes: dict[tuple[ByDevice, Process], Row] = field(default_factory=dict)
    others: int = 0  # requests of processes that do not count

    def add(self, some: Finished) -> Finished:
        """Count requests; return those that counted."""
        owners = self._owners(some)
        if self.only:
            keep = self._of_chosen(some, owners)
            self.others += int((~keep).sum())
            some = some.chosen(keep)
        self.heat.add(some.end_ns, some.total_ns)
        for key, part in _split(some, some.device << _KEY_BITS | some.operation):
            by = (key >> _KEY_BITS, key & _KEY_MASK)
            self.devices.setdefault(by, Row()).add(part)
            for octave, of_size in _split(part, _octaves(part.size_bytes)):
                self.sizes.setdefault((by, _size_class(octave)), Row()).add(of_size)
            for thread, of_thread in _split(part, _threads(part)):
                self._process_row(by, owners[thread]).add(of_thread)
        return some

    def _owners(self, some: Finished) -> dict[int, Process]:
        """Return the processes of threads, by the threads' keys."""
        return {
            key: self.processes_of.of(key >> _KEY_BITS, some.names[key & _KEY_MASK])
            for key in np.unique(_threads(some)).tolist()
        }

    def _of_chosen(self, some: Finished, owners: Mapping[int, Process]) -> Flags:
        keys = [key for key, owner in owners.items() if owner.pid in self.only]
        return np.isin(_threads(some), keys)

    def _process_row(self, by: ByDevice, process: Process) -> Row:
        row = self.processes.get((by, process))
        if row is None:
            if len(self.processes) >= MOST_PROCESS_ROWS:
                process = OTHERS
            row = self.processes.setdefault((by, process), Row())
        return row


def _threads(some: Finished) -> Integers:
    """Return a key for each request's thread: its number, and its name's place."""
    keys: Integers = some.tid << _KEY_BITS | some.name
    return keys


def _split(some: Finished, keys: Integers) -> "list[tuple[int, Finished]]":
    """Return the requests in groups of equal keys."""
    found, places = np.unique(keys, return_inverse=True)
    if found.size == 1:
        return [(int(found[0]), some)]
    return [(key, some.chosen(places == place)) for place, key in enumerate(found.tolist())]


def _octaves(size_bytes: Integers) -> Integers:
    """Return the power of two that each size reaches, -1 of none."""
    return np.frexp(size_bytes.astype(np.float64))[1].astype(np.int64) - 1


def _size_class(octave: int) -> SizeClass:
    return (0, 0) if octave < 0 else (1 << octave, (2 << octave) - 1)
