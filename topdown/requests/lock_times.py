"""Waiting time of requests by lock, and by what ended their waits."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.requests.explanation import ClassPair
from topdown.requests.places import Place, StackTimes, main_place
from topdown.waits.futex_waits import KINDS, FutexWaits
from topdown.waits.off_cpu_weights import NOT_WAITING
from topdown.waits.records import WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals
from topdown.waits.wait_targets import wait_segments
from topdown.waits.wakers import waker_name

MAX_ROWS = 10
LEAST_NS = 1_000  # per request


@dataclass(frozen=True, slots=True)
class LockTimes:
    """A lock: mean waiting time per request of both classes, and mean number of waits."""

    pid: int
    address: int
    kind: str
    place: Place
    slow_waits: float
    median_waits: float


@dataclass(frozen=True, slots=True)
class WaitPartner:
    """What ended waits of requests: mean waiting time per request of both classes."""

    name: str
    slow_ns: float
    median_ns: float


def lock_times(waits: FutexWaits, pair: ClassPair, names: StackNames) -> list[LockTimes]:
    """Return the locks that slow requests wait for longer than median ones, the worst first."""
    if not len(waits):
        return []
    waits = waits.take(waits.is_lock)
    spans = (waits.thread, waits.begin_ns, waits.end_ns)
    slow_ns = pair.slow.coverage.during(*spans) / max(1, pair.slow.count)
    median_ns = pair.median.coverage.during(*spans) / max(1, pair.median.count)
    slow_waits = pair.slow.coverage.at(waits.thread, waits.begin_ns) / max(1, pair.slow.count)
    median_waits = pair.median.coverage.at(waits.thread, waits.begin_ns) / max(1, pair.median.count)
    keys = np.stack([waits.pid, waits.address.astype(np.int64), waits.kind])
    _, first, inverse = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    difference = np.bincount(inverse, slow_ns - median_ns)
    locks = []
    for number in np.argsort(-difference)[:MAX_ROWS].tolist():
        if difference[number] < LEAST_NS:
            break
        rows = np.flatnonzero(inverse == number)
        row = int(first[number])
        times = StackTimes(waits.stack[rows], slow_ns[rows], median_ns[rows])
        place = main_place(times, names)
        locks.append(
            LockTimes(
                pid=int(waits.pid[row]),
                address=int(waits.address[row]),
                kind=KINDS[waits.kind[row]].value,
                place=Place(place.chain, float(slow_ns[rows].sum()), float(median_ns[rows].sum())),
                slow_waits=float(slow_waits[rows].sum()),
                median_waits=float(median_waits[rows].sum()),
            )
        )
    return locks


def wait_partners(
    records: WaitRecords, intervals: Intervals, names: StackNames, pair: ClassPair
) -> list[WaitPartner]:
    """Return what ended the waits of requests, by the additional time of slow ones."""
    segments = wait_segments(records, intervals, names)
    rows = np.flatnonzero(~np.isin(intervals.state, NOT_WAITING))
    spans = (intervals.thread[rows], intervals.begin_ns[rows], intervals.end_ns[rows])
    targets, inverse = np.unique(segments.target[rows], return_inverse=True)
    inverse = inverse.reshape(-1)
    sums: dict[str, list[float]] = {}
    columns: list[npt.NDArray[np.float64]] = [
        np.bincount(inverse, members.coverage.during(*spans), len(targets)) / max(1, members.count)
        for members in (pair.slow, pair.median)
    ]
    for target, slow_ns, median_ns in zip(targets.tolist(), *map(list, columns), strict=True):
        total = sums.setdefault(waker_name(records, target), [0.0, 0.0])
        total[0] += slow_ns
        total[1] += median_ns
    partners = [WaitPartner(name, *total) for name, total in sums.items()]
    partners.sort(key=lambda row: row.median_ns - row.slow_ns)
    return [row for row in partners if row.slow_ns - row.median_ns >= LEAST_NS][:MAX_ROWS]
