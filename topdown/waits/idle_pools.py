"""Threads that wait for work and have none: idle worker pools.

A thread is idle if it waits for at least 90 % of its time in one place (system call and stack),
but not for a disk, runs for less than 1 %, and ends no considerable waits of a thread that is not
idle itself (0.1 % of its time). The last clause keeps starved pipeline stages and rarely used
pools: another thread waits for their work. The main thread of a process without a working thread
is not a pool: the process waits for what it waits for, such as the client of a slow server. If
wake-ups are not recorded, the thread must not have run at all instead.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.waits.groups import thread_groups
from topdown.waits.records import NO_ROW, NO_STACK, NO_THREAD, WaitRecords, WakeUps
from topdown.waits.states import RUNNING_STATES, Intervals, ThreadState

WAITING_SHARE = 0.90
RUNNING_SHARE = 0.01
AWAITED_SHARE = 0.001  # of the wall time of a thread, in which it waits for another one
_NOT_WAITING = (
    *RUNNING_STATES,
    ThreadState.RUN_QUEUE,
    ThreadState.THROTTLED,
    ThreadState.STOLEN,
    ThreadState.UNKNOWN,
    # A disk is no place to wait for work.
    ThreadState.DISK_READ,
    ThreadState.DISK_WRITE,
    ThreadState.PAGE_FAULT,
)
RULE = (
    "waits at least 90 % of its time in one place, runs for less than 1 %, and no thread waits "
    "for it"
)
RULE_WITHOUT_WAKE_UPS = (
    "waits at least 90 % of its time in one place and did not run; wake-ups are not recorded, so "
    "whether a thread waits for it is not known"
)


@dataclass(frozen=True, slots=True)
class IdleGroup:
    """Idle threads of a group. ``stack``: where they wait, or NO_STACK."""

    process_name: str
    name: str
    threads: tuple[int, ...]
    wall_ns: int
    stack: int
    rule: str


def idle_threads(records: WaitRecords, intervals: Intervals) -> npt.NDArray[np.bool_]:
    """Return whether each thread is idle, (n_threads,)."""
    count = len(records.threads)
    wall, run, largest, _ = _shares(records, intervals)
    candidates = (wall > 0) & (largest >= WAITING_SHARE * wall)
    if records.wake_ups is None:
        return np.asarray(candidates & (run == 0), np.bool_)
    candidates &= run < RUNNING_SHARE * wall
    pairs = _awaited_pairs(records.wake_ups, intervals, wall)
    for _ in range(count + 1):
        awaited = candidates[pairs[0]] & ~candidates[pairs[1]]
        if not awaited.any():
            break
        candidates[pairs[0][awaited]] = False
    return _without_lone_main_threads(records, candidates, wall > 0)


def _awaited_pairs(
    wake_ups: WakeUps, intervals: Intervals, wall: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return (waker, wakee) pairs, (2, n_pairs), of threads that wait considerably for another.

    Threads wake each other once when they start and end, after microseconds.
    """
    rows = np.flatnonzero(intervals.wake_up != NO_ROW)
    wake = intervals.wake_up[rows]
    waker, wakee = wake_ups.waker[wake], wake_ups.wakee[wake]
    is_pair = (waker != NO_THREAD) & (wakee != NO_THREAD) & (waker != wakee)
    both = np.stack([waker[is_pair], wakee[is_pair]]).astype(np.int64)
    pairs, inverse = np.unique(both, axis=1, return_inverse=True)
    times = np.bincount(
        inverse.reshape(-1), intervals.duration_ns[rows[is_pair]], minlength=pairs.shape[1]
    )
    return pairs[:, times >= AWAITED_SHARE * wall[pairs[1]]]


def _without_lone_main_threads(
    records: WaitRecords, candidates: npt.NDArray[np.bool_], lived: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Return the candidates without the main threads of processes without a working thread."""
    working = {
        thread.pid
        for number, thread in enumerate(records.threads)
        if thread.target and lived[number] and not candidates[number]
    }
    may_be_idle = [thread.pid in working or thread.tid != thread.pid for thread in records.threads]
    return candidates & np.array(may_be_idle or [False], np.bool_)[: len(candidates)]


def idle_pools(
    records: WaitRecords, intervals: Intervals, idle: npt.NDArray[np.bool_]
) -> list[IdleGroup]:
    """Return the idle threads by group, the largest group first."""
    wall, _, _, stack = _shares(records, intervals)
    rule = RULE if records.wake_ups is not None else RULE_WITHOUT_WAKE_UPS
    groups = [
        IdleGroup(
            process_name=group.process_name,
            name=group.name,
            threads=group.threads,
            wall_ns=int(wall[list(group.threads)].sum()),
            stack=int(stack[group.threads[0]]),
            rule=rule,
        )
        for group in thread_groups(records.threads, np.flatnonzero(idle).tolist())
    ]
    return sorted(groups, key=lambda group: (-group.wall_ns, group.process_name, group.name))


def _shares(
    records: WaitRecords, intervals: Intervals
) -> tuple[
    npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.uint32]
]:
    """Return, per thread, wall time, run time, time at the most frequent place, and its stack.

    The stack of a wait that began before the recording is not known: it counts as a place.
    """
    count = len(records.threads)
    wall, run = np.zeros(count), np.zeros(count)
    codes: list[npt.NDArray[np.int64]] = [np.empty(0, np.int64)]
    amounts: list[npt.NDArray[np.number]] = [np.empty(0)]
    for block in intervals.blocks():
        thread, duration = block.thread.astype(np.int64), block.duration_ns
        # Between random windows the state of a thread is not known, and it is no wait.
        known = block.state != ThreadState.UNKNOWN
        wall += np.bincount(thread[known], duration[known], count)
        runs = np.isin(block.state, RUNNING_STATES)
        run += np.bincount(thread[runs], duration[runs], count)
        waits = ~np.isin(block.state, _NOT_WAITING)
        rows = block.sample[waits]
        stacks = np.full(len(rows), NO_STACK, np.uint32)
        sampled = rows != NO_ROW
        stacks[sampled] = records.switch_samples.stack[rows[sampled]]
        code, inverse = np.unique(
            (thread[waits] << 32) | stacks.astype(np.int64), return_inverse=True
        )
        codes.append(code)
        amounts.append(np.bincount(inverse, duration[waits], len(code)))
    places, inverse = np.unique(np.concatenate(codes), return_inverse=True)
    times = np.bincount(inverse, np.concatenate(amounts), len(places)).astype(np.int64)
    largest, stack = np.zeros(count, np.int64), np.full(count, NO_STACK, np.uint32)
    order = np.argsort(times, kind="stable")
    largest[places[order] >> 32] = times[order]
    stack[places[order] >> 32] = (places[order] & 0xFFFF_FFFF).astype(np.uint32)
    return wall.astype(np.int64), run.astype(np.int64), largest, stack
