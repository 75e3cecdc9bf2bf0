"""Locks, causes, graph and idle pools of a recording as parts of the document."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.waits.result import (
    CauseLink,
    EndedWait,
    GraphEdge,
    IdlePool,
    KernelLockWaits,
    LockCaller,
    LockFunction,
    LockHold,
    LockOwner,
    LockWaits,
    SpinningFunction,
    WaitCause,
    WaitForGraph,
)
from stallscope.printable import printable
from topdown.waits.causes import Cause, CauseAnalysis, find_causes
from topdown.waits.futex_waits import FutexWaits, futex_waits
from topdown.waits.idle_pools import IdleGroup, idle_pools, idle_threads
from topdown.waits.kernel_locks import kernel_locks
from topdown.waits.lock_signs import Signs, hold_times, lock_signs, spinning
from topdown.waits.locks import Lock, WaitingFunction, find_locks, waiting_functions
from topdown.waits.owners import wait_owners
from topdown.waits.records import WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals
from topdown.waits.syscall_sites import Numbers
from topdown.waits.wait_targets import wait_segments
from topdown.waits.wakers import WakerShare, ended_waits, missing_waker_stacks, waker_shares

MAX_LOCKS = 50
MAX_FUNCTIONS = 50
MAX_EDGES = 200
MAX_HOLDS = 64
MAX_ENDED_WAITS = 200


@dataclass(frozen=True, slots=True)
class LockParts:
    """The parts of the document that explain waits for other threads.

    ``idle``: whether each thread is idle, (n_threads,).
    """

    locks: tuple[LockWaits, ...]
    functions: tuple[LockFunction, ...]
    causes: tuple[WaitCause, ...]
    graph: WaitForGraph
    idle_pools: tuple[IdlePool, ...]
    idle: npt.NDArray[np.bool_]
    kernel_locks: tuple[KernelLockWaits, ...] = ()
    ended_waits: tuple[EndedWait, ...] = ()
    wakers_unavailable: str = ""
    spinning: tuple[SpinningFunction, ...] = ()


def lock_parts(
    records: WaitRecords,
    intervals: Intervals,
    names: StackNames,
    calls: Numbers,
    *,
    idle: npt.NDArray[np.bool_] | None = None,
    continues: npt.NDArray[np.bool_] | None = None,
) -> LockParts:
    """Return the parts. ``intervals``: with categories; ``calls``: per switch sample.

    ``idle``: threads that are set apart; None: those that are idle in the intervals.
    ``continues`` (n_intervals,): intervals that end later; their time counts and they do not.
    """
    if idle is None:
        idle = idle_threads(records, intervals)
    if continues is None:
        continues = np.zeros(len(intervals.thread), np.bool_)
    waits = futex_waits(records, intervals, names, calls)
    owners = wait_owners(records, intervals, waits)
    locks = find_locks(waits, owners, intervals, records.wake_ups, background=idle)
    signs = lock_signs(records, intervals, waits, owners, locks)
    segments = wait_segments(records, intervals, names)
    analysis = find_causes(records, intervals, names, background=idle, segments=segments)
    ends = ~continues[waits.interval] if len(waits) else np.zeros(0, np.bool_)
    functions = waiting_functions(waits, names, background=idle, counted=ends)
    ended = ended_waits(records, intervals, names, idle, segments)
    shares = waker_shares(records, intervals, names, ended, ~continues[ended.interval])
    return LockParts(
        locks=tuple(_lock(lock, waits, records, names, signs, ends) for lock in locks[:MAX_LOCKS]),
        functions=tuple(_function(function) for function in functions[:MAX_FUNCTIONS]),
        causes=cause_documents(analysis.causes),
        graph=_graph(analysis),
        idle_pools=tuple(_pool(pool, names) for pool in idle_pools(records, intervals, idle)),
        idle=idle,
        kernel_locks=tuple(
            KernelLockWaits(
                address=f"{lock.address:#x}",
                kind=lock.kind,
                function=lock.function,
                wait_ns=lock.wait_ns,
                waits=lock.waits,
            )
            for lock in kernel_locks(records, names)[:MAX_LOCKS]
        ),
        ended_waits=tuple(_ended(share) for share in shares[:MAX_ENDED_WAITS]),
        wakers_unavailable=missing_waker_stacks(records, ended),
        spinning=tuple(
            SpinningFunction(
                function=spin.function,
                threads=spin.threads,
                cpu_ns=spin.cpu_ns,
                share=min(1.0, spin.share),
            )
            for spin in spinning(records, names)
        ),
    )


def _lock(
    lock: Lock,
    waits: FutexWaits,
    records: WaitRecords,
    names: StackNames,
    signs: Signs,
    ends: npt.NDArray[np.bool_],
) -> LockWaits:
    callers = waiting_functions(waits.take(lock.rows), names, all_kinds=True)
    return LockWaits(
        address=f"{lock.address:#x}",
        kind=lock.kind.value,
        wait_ns=lock.wait_ns,
        waits=int(ends[lock.rows].sum()),
        owner=_owner(lock, records, names),
        callers=tuple(
            LockCaller(
                function=function.name,
                attributed_ns=function.attributed_ns,
                inclusive_ns=function.inclusive_ns,
            )
            for function in callers[:MAX_FUNCTIONS]
        ),
        owner_unknown=lock.owner_unknown,
        longest_ns=lock.longest_ns,
        waiters=lock.waiters,
        woken_per_wake_up=lock.woken_per_wake_up,
        holds=tuple(
            LockHold(threads=hold.threads, holds=hold.holds, mean_ns=round(hold.mean_ns))
            for hold in (hold_times(lock, waits) if lock.kind.is_lock else ())[:MAX_HOLDS]
        ),
        signs=signs.of(lock),
    )


def _owner(lock: Lock, records: WaitRecords, names: StackNames) -> LockOwner | None:
    if not lock.owners:
        return None
    first = lock.owners[0]
    thread = records.threads[first.thread]
    named_ns = sum(owner.wait_ns for owner in lock.owners)
    # The kernel's part of the stack of a preempted owner is that of the preemption.
    stack = names.user(first.stack) or names.of(first.stack)
    return LockOwner(
        tid=thread.tid,
        name=thread.name,
        stack=stack,
        stack_source=first.place,
        share=first.wait_ns / named_ns if named_ns else None,
    )


def _links(pairs: Sequence[tuple[str, int]]) -> tuple[CauseLink, ...]:
    return tuple(CauseLink(name=name, wait_ns=wait_ns) for name, wait_ns in pairs)


def _function(function: WaitingFunction) -> LockFunction:
    return LockFunction(
        function=function.name,
        attributed_ns=function.attributed_ns,
        inclusive_ns=function.inclusive_ns,
        waits=function.waits,
        callers=_links(function.callers),
        callees=_links(function.callees),
    )


def cause_documents(causes: Sequence[Cause]) -> tuple[WaitCause, ...]:
    """Return the causes as parts of the document."""
    return tuple(
        WaitCause(
            kind=cause.kind,
            name=cause.name,
            wait_ns=cause.wait_ns,
            chain=_links([(step.name, step.wait_ns) for step in cause.chain]),
            confidence=cause.confidence,
        )
        for cause in causes
    )


def _graph(analysis: CauseAnalysis) -> WaitForGraph:
    names = analysis.graph.names
    heaviest = sorted(analysis.graph.edges.items(), key=lambda edge: (-edge[1], edge[0]))
    return WaitForGraph(
        edges=tuple(
            GraphEdge(waiter=names[source], cause=names[target], wait_ns=round(wait_ns))
            for (source, target), wait_ns in heaviest[:MAX_EDGES]
        ),
        knots=analysis.knots,
        wait_ns=analysis.wait_ns,
        unexplained_ns=analysis.unexplained_ns,
        missing=analysis.missing,
        followed_share=analysis.followed_share,
    )


def _ended(share: WakerShare) -> EndedWait:
    return EndedWait(
        thread=printable(share.thread),
        functions=share.chain,
        waker=printable(share.waker),
        waker_functions=share.waker_chain,
        wait_ns=share.wait_ns,
        waits=share.waits,
    )


def _pool(pool: IdleGroup, names: StackNames) -> IdlePool:
    frames = names.user(pool.stack) or names.of(pool.stack)
    return IdlePool(
        name=pool.name,
        process=pool.process_name,
        threads=len(pool.threads),
        wall_ns=pool.wall_ns,
        place=" < ".join(frames[:3]),
        rule=pool.rule,
    )
