"""Locks by address and kind: waiting time, owners, and the functions that wait.

Only threads that are not set apart count: those of idle pools (`topdown/waits/idle_pools.py`) wait
for work, not for a lock, and are background threads in this sense.
"""

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.waits.futex import LockKind, lock_functions
from topdown.waits.futex_waits import KINDS, FutexWaits
from topdown.waits.owners import NO_OWNER, WaitOwners
from topdown.waits.records import NO_ROW, NO_STACK, WakeUps
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals

MAX_LOCKS = 100
MAX_STACKS = 5
# Wake-ups of one waker for one object, closer than this, are one call of the program.
BURST_NS = 50_000
# A thread that waits again so soon was woken in vain.
VAIN_NS = 100_000


@dataclass(frozen=True, slots=True)
class LockOwner:
    """A thread that held a lock: the waits for which it was named, and its most frequent stack."""

    thread: int
    waits: int
    wait_ns: int
    stack: int
    place: str


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock or another object that threads waited for.

    ``owner_unknown``: why no owner is named for the largest part of the other waits; empty if the
    owner of all waits is known. ``woken_per_wake_up``: None without wake-up records.
    ``vain_share``: share of the woken threads that waited again at once. ``waiters``: number of
    threads; ``mean_waiters``: at a time, while any thread waits.
    """

    pid: int
    address: int
    kind: LockKind
    waits: int
    wait_ns: int
    longest_ns: int
    waiters: int
    mean_waiters: float
    owners: tuple[LockOwner, ...]
    owner_unknown: str
    owner_unknown_ns: int
    stacks: tuple[tuple[int, int], ...]  # stack, nanoseconds
    woken_per_wake_up: float | None
    vain_share: float | None
    rows: npt.NDArray[np.int64]  # of the futex waits


@dataclass(frozen=True, slots=True)
class WaitingFunction:
    """Lock time of a function: ``attributed`` as caller of the lock, ``inclusive`` with callees.

    ``callers`` and ``callees``: nanoseconds per neighbour in the call chains.
    """

    name: str
    attributed_ns: int
    inclusive_ns: int
    waits: int
    callers: tuple[tuple[str, int], ...]
    callees: tuple[tuple[str, int], ...]


def find_locks(
    waits: FutexWaits,
    owners: WaitOwners,
    intervals: Intervals,
    wake_ups: WakeUps | None,
    *,
    background: npt.NDArray[np.bool_] | None = None,
) -> list[Lock]:
    """Return locks in order of waiting time, then other objects.

    ``background``: (n_threads,) threads that are set apart.
    """
    rows = np.arange(len(waits))
    if background is not None and len(waits):
        rows = rows[~background[waits.thread]]
    if not len(rows):
        return []
    columns = np.stack([waits.pid[rows], waits.address[rows].astype(np.int64), waits.kind[rows]])
    _, first, inverse = np.unique(columns, axis=1, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    total = np.bincount(inverse, waits.duration_ns[rows])
    is_lock = waits.is_lock[rows[first]]
    order = np.lexsort((-total, ~is_lock))[:MAX_LOCKS]
    by_object = np.argsort(inverse, kind="stable")
    limits = np.searchsorted(inverse[by_object], np.arange(len(first) + 1))
    return [
        _lock(
            waits,
            owners,
            intervals,
            wake_ups,
            rows[by_object[limits[number] : limits[number + 1]]],
        )
        for number in order.tolist()
    ]


def _lock(
    waits: FutexWaits,
    owners: WaitOwners,
    intervals: Intervals,
    wake_ups: WakeUps | None,
    rows: npt.NDArray[np.int64],
) -> Lock:
    duration = waits.duration_ns[rows]
    kind = KINDS[waits.kind[rows[0]]]
    unknown, unknown_ns = _unknown_owner(owners, rows, duration)
    woken, vain = _woken(waits, intervals, wake_ups, rows)
    stacks = _sums(waits.stack[rows], duration)
    return Lock(
        pid=int(waits.pid[rows[0]]),
        address=int(waits.address[rows[0]]),
        kind=kind,
        waits=len(rows),
        wait_ns=int(duration.sum()),
        longest_ns=int(duration.max()),
        waiters=len(np.unique(waits.thread[rows])),
        mean_waiters=_mean_waiters(waits, rows),
        owners=tuple(_owners(owners, rows, duration)),
        owner_unknown=unknown,
        owner_unknown_ns=unknown_ns,
        stacks=tuple(stacks[:MAX_STACKS]),
        woken_per_wake_up=woken,
        vain_share=vain,
        rows=rows,
    )


def _sums(values: npt.NDArray[np.integer], weights: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return (value, sum of weights), largest first."""
    unique, inverse = np.unique(values, return_inverse=True)
    totals = np.bincount(inverse, weights).astype(np.int64)
    pairs = zip(unique.tolist(), totals.tolist(), strict=True)
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


def _owners(
    owners: WaitOwners, rows: npt.NDArray[np.int64], duration: npt.NDArray[np.int64]
) -> Iterator[LockOwner]:
    named = owners.owner[rows] != NO_OWNER
    for thread, total in _sums(owners.owner[rows[named]], duration[named]):
        of_thread = owners.owner[rows] == thread
        chosen = rows[of_thread]
        with_stack = chosen[owners.stack[chosen] != NO_STACK]
        stack, place = NO_STACK, owners.place[chosen[0]]
        if len(with_stack):
            stack = _sums(owners.stack[with_stack], _durations(duration, rows, with_stack))[0][0]
            place = owners.place[with_stack[owners.stack[with_stack] == stack][0]]
        yield LockOwner(thread, int(of_thread.sum()), total, stack, place)


def _durations(
    duration: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Return the durations of the chosen rows; ``duration`` is that of ``rows``, in order."""
    return duration[np.searchsorted(rows, chosen)]


def _unknown_owner(
    owners: WaitOwners, rows: npt.NDArray[np.int64], duration: npt.NDArray[np.int64]
) -> tuple[str, int]:
    unknown = owners.owner[rows] == NO_OWNER
    if not unknown.any():
        return "", 0
    reason = _sums(owners.reason[rows[unknown]], duration[unknown])[0][0]
    return owners.reasons[reason], int(duration[unknown].sum())


def _mean_waiters(waits: FutexWaits, rows: npt.NDArray[np.int64]) -> float:
    order = np.argsort(waits.begin_ns[rows], kind="stable")
    begin, end = waits.begin_ns[rows][order], waits.end_ns[rows][order]
    reached = np.maximum.accumulate(end)
    before = np.append(begin[0], reached[:-1])
    covered = int(np.maximum(reached - np.maximum(begin, before), 0).sum())
    return float((end - begin).sum() / covered) if covered else 1.0


def _woken(
    waits: FutexWaits,
    intervals: Intervals,
    wake_ups: WakeUps | None,
    rows: npt.NDArray[np.int64],
) -> tuple[float | None, float | None]:
    """Return the mean number of threads per wake-up call, and the share woken in vain."""
    if wake_ups is None:
        return None, None
    wake = intervals.wake_up[waits.interval[rows]]
    has_wake_up = wake != NO_ROW
    if not has_wake_up.any():
        return None, None
    wake = np.sort(wake[has_wake_up])  # the rows of wake-ups are in time order
    waker, time = wake_ups.waker[wake], wake_ups.time_ns[wake].astype(np.int64)
    order = np.lexsort((time, waker))
    new = (np.diff(waker[order].astype(np.int64)) != 0) | (np.diff(time[order]) > BURST_NS)
    calls = 1 + int(new.sum())
    # A thread that is woken again within a burst was woken by another call.
    call = np.append(0, np.cumsum(new))
    pairs = np.unique(np.stack([call, wake_ups.wakee[wake[order]].astype(np.int64)]), axis=1)
    by_thread = rows[np.lexsort((waits.begin_ns[rows], waits.thread[rows]))]
    again = waits.thread[by_thread[1:]] == waits.thread[by_thread[:-1]]
    again &= waits.begin_ns[by_thread[1:]] - waits.end_ns[by_thread[:-1]] <= VAIN_NS
    return pairs.shape[1] / calls, float(again.sum() / len(rows))


def waiting_functions(
    waits: FutexWaits,
    names: StackNames,
    *,
    background: npt.NDArray[np.bool_] | None = None,
    all_kinds: bool = False,
    counted: npt.NDArray[np.bool_] | None = None,
) -> list[WaitingFunction]:
    """Return the functions of the program by inclusive time of waits for locks.

    ``all_kinds``: waits for other objects are included. ``counted`` (n_waits,): waits that count
    beside their time; None: all.
    """
    chosen = waits.is_lock
    chosen |= all_kinds
    if background is not None and len(waits):
        chosen &= ~background[waits.thread]
    table = _FunctionTable()
    durations = waits.duration_ns[chosen]
    ones = (
        np.ones(len(durations), np.int64) if counted is None else counted[chosen].astype(np.int64)
    )
    counts = dict(_sums(waits.stack[chosen], ones))
    for stack, total in _sums(waits.stack[chosen], durations):
        if stack != NO_STACK:
            table.add(names.user(stack), total, counts[stack])
    return table.functions()


class _FunctionTable:
    def __init__(self) -> None:
        self.attributed: Counter[str] = Counter()
        self.inclusive: Counter[str] = Counter()
        self.waits: Counter[str] = Counter()
        self.callers: dict[str, Counter[str]] = {}
        self.callees: dict[str, Counter[str]] = {}

    def add(self, frames: tuple[str, ...], total_ns: int, waits: int) -> None:
        """Add a stack: the first function outside of the lock's implementation is attributed."""
        own = next((place for place, name in enumerate(frames) if not lock_functions(name)), None)
        if own is None:
            return
        self.attributed[frames[own]] += total_ns
        for name in dict.fromkeys(frames):
            self.inclusive[name] += total_ns
            self.waits[name] += waits
        for callee, caller in dict.fromkeys(itertools.pairwise(frames)):
            if callee != caller:
                self.callers.setdefault(callee, Counter())[caller] += total_ns
                self.callees.setdefault(caller, Counter())[callee] += total_ns

    def functions(self) -> list[WaitingFunction]:
        """Return the functions, the largest inclusive time first."""
        return [
            WaitingFunction(
                name=name,
                attributed_ns=self.attributed[name],
                inclusive_ns=total,
                waits=self.waits[name],
                callers=tuple(self.callers.get(name, Counter()).most_common(MAX_STACKS)),
                callees=tuple(self.callees.get(name, Counter()).most_common(MAX_STACKS)),
            )
            for name, total in self.inclusive.most_common()
        ]
