"""Waits for disks by what the kernel did: reading, flushing, or submitting a request."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from harness.waits.analysis import WaitAnalysis
from topdown.waits.records import NO_ROW
from topdown.waits.states import ThreadState

# Waits until a request may enter a queue: for a tag of the queue, or for its throttling.
_ADMISSION = frozenset(
    ("blk_mq_get_tag", "__blk_mq_get_tag", "rq_qos_wait", "wbt_wait", "blk_mq_alloc_request")
)
# Calls that submit requests and should not wait for them.
_SUBMISSIONS = frozenset(
    (
        "io_submit_one",
        "__x64_sys_io_submit",
        "__arm64_sys_io_submit",
        "io_submit_sqes",
        "io_submit_sqe",
        "io_wq_submit_work",
        "io_wq_worker",
    )
)
_FLUSHES = frozenset(
    (
        "do_fsync",
        "vfs_fsync_range",
        "ext4_sync_file",
        "xfs_file_fsync",
        "jbd2_log_wait_commit",
        "blkdev_fsync",
        "blkdev_issue_flush",
        "ksys_sync",
        "__x64_sys_msync",
        "__arm64_sys_msync",
    )
)
_STATES = (ThreadState.DISK_READ, ThreadState.DISK_WRITE, ThreadState.LOCK, ThreadState.OTHER)
MAX_FUNCTIONS = 3


@dataclass(frozen=True, slots=True)
class DiskWaits:
    """Waits of the target, scaled to all of its waits.

    ``admission_ns``: until a request could enter a queue. ``submission_ns``: inside of calls that
    submit requests, admission included. ``functions``: of the program, those in which most of the
    submission time was spent. ``threads``: names of the threads that waited so.
    """

    admission_ns: int = 0
    submission_ns: int = 0
    flush_ns: int = 0
    waits: int = 0
    functions: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()


def disk_waits(analysis: WaitAnalysis) -> DiskWaits:
    """Return the waits of an analysis."""
    records, names, intervals = analysis.records, analysis.names, analysis.kinds.intervals
    target = np.array([thread.target for thread in records.threads] or [False], np.bool_)
    chosen = np.isin(intervals.state, _STATES) & (intervals.sample != NO_ROW)
    chosen &= target[intervals.thread]
    rows = np.flatnonzero(chosen)
    if not len(rows):
        return DiskWaits()
    stacks = records.switch_samples.stack[intervals.sample[rows]].astype(np.int64)
    kinds = {stack: _kind(names.of(stack)) for stack in np.unique(stacks).tolist()}
    kinds = {stack: kind for stack, kind in kinds.items() if kind}
    is_known = np.isin(stacks, list(kinds))
    rows, stacks = rows[is_known], stacks[is_known]
    times_ns = intervals.duration_ns[rows] * _scales(analysis)[intervals.state[rows]]
    sums: Counter[str] = Counter()
    functions: Counter[str] = Counter()
    threads: Counter[str] = Counter()
    waits = 0
    for row, stack, time_ns in zip(rows.tolist(), stacks.tolist(), times_ns.tolist(), strict=True):
        kind = kinds[stack]
        sums[kind] += round(time_ns)
        if kind == "flush":
            continue
        waits += 1
        threads[records.threads[int(intervals.thread[row])].name] += round(time_ns)
        for name in names.user(stack)[:MAX_FUNCTIONS]:
            functions[name] += round(time_ns)
    return DiskWaits(
        admission_ns=sums["admission"],
        submission_ns=sums["admission"] + sums["submission"],
        flush_ns=sums["flush"],
        waits=waits,
        functions=tuple(name for name, _ in functions.most_common(MAX_FUNCTIONS)),
        threads=tuple(name for name, _ in threads.most_common(MAX_FUNCTIONS)),
    )


def _kind(frames: tuple[str, ...]) -> str:
    present = set(frames)
    if present & _FLUSHES:
        return "flush"
    if present & _ADMISSION:
        return "admission"
    return "submission" if present & _SUBMISSIONS else ""


def _scales(analysis: WaitAnalysis) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Return, by state, all time of the target in it over that of its recorded intervals."""
    intervals, count = analysis.kinds.intervals, max(ThreadState) + 1
    target = np.array([thread.target for thread in analysis.records.threads] or [False], np.bool_)
    mine = target[intervals.thread]
    recorded = np.bincount(intervals.state[mine], intervals.duration_ns[mine], count)
    whole = analysis.totals.amounts.sum(axis=0)[:count].astype(np.float64)
    scale = np.ones(count)
    np.divide(whole, recorded, out=scale, where=recorded > 0)
    return np.maximum(scale, 0.0)
