"""What ran on the CPU while threads of the target were in its run queue.

A runnable thread waits for the CPU on which it runs next. The time for which n threads of the
target are in the queue of a CPU counts n times for the thread that runs there. Needs the switch
records of whole CPUs. Throttled and stolen time are states and not part of it.

Cost: 0.1 us per switch record.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from topdown.waits.records import NO_THREAD, SwitchKind, WaitingThread, WaitRecords
from topdown.waits.states import Intervals, ThreadState

_KERNEL_THREAD = re.compile(
    r"(kworker|ksoftirqd|migration|kswapd|kcompactd|jbd2|irq|cpuhp|idle_inject|loop\d|kdevtmpfs"
    r"|rcu|watchdog|khugepaged|ksmd|kthreadd|writeback|kblockd|nvme|scsi|md\d|xfs|ext4|btrfs"
    r"|kauditd|oom_reaper|vhost|kvm|kdamond)[-_/:\d]"
    r"|(kthreadd|khugepaged|ksmd|kauditd|oom_reaper|kdevtmpfs|rcu_\w+|kswapd\d+|kcompactd\d+)$"
)
# Names of the collector and of its helper processes, as the kernel shortens them.
_RECORDER = frozenset(
    f"stallscope-{name}" for name in ("coll", "collect", "rt", "lock", "tick", "read")
)
_RADIX_SORTED = 1 << 16  # numpy sorts integers of two bytes by radix
RECORDER_NAME = "stallscope itself, recording"
SHORT_LIVED = "a process that ended before its name was read"


CpuRun = tuple[npt.NDArray[np.float64], npt.NDArray[np.integer[Any]]]


class QueueUserKind(StrEnum):
    """What used the CPU."""

    TARGET = "target"  # other threads of the target
    PROCESS = "process"
    KERNEL_THREAD = "kernel thread"
    RECORDER = "recorder"  # the processes of stallscope that record
    IDLE = "idle"  # the thread was on its way to the CPU
    UNKNOWN = "unknown"  # no record


@dataclass(frozen=True, slots=True)
class RunQueueUse:
    """A process that ran while threads of the target could run, for ``time_ns``.

    ``beside_idle_ns``: of it, while another CPU was idle.
    """

    kind: QueueUserKind
    name: str
    pid: int | None
    time_ns: int
    beside_idle_ns: int = 0


def run_queue_users(
    records: WaitRecords, intervals: Intervals, cpu_runs: "CpuRuns | None" = None
) -> tuple[RunQueueUse, ...]:
    """Return what ran while threads of the target were runnable, the longest time first.

    ``cpu_runs``: those of the recording, if they are known.

    Empty without records of whole CPUs. The times add up to the time in the run queue.
    """
    if not records.whole_cpus:
        return ()
    if cpu_runs is None:
        cpu_runs = CpuRuns.of(records)
    queued = np.flatnonzero(intervals.state == ThreadState.RUN_QUEUE)
    cpu = _queue_cpus(records, cpu_runs, intervals, queued)
    total = int(intervals.duration_ns[queued].sum())
    by_thread = np.zeros((2, len(records.threads)))
    for number in np.unique(cpu[cpu >= 0]).tolist():
        rows = queued[cpu == number]
        by_thread += _occupied(
            cpu_runs, len(records.threads), number, intervals.begin_ns[rows], intervals.end_ns[rows]
        )
    return _users(records.threads, by_thread, total)


@dataclass(frozen=True, slots=True)
class CpuRuns:
    """What ran on the CPUs of a recording; the same for each period of it.

    ``ins``: rows of switches to a thread, by thread and time; ``bounds`` (n_threads + 1,): their
    begin by thread. ``by_cpu``: edges in nanoseconds since the begin, and the thread between them.
    ``idle``: times since the begin, and whether a CPU with a record is idle from then on.
    """

    start_ns: float
    ins: npt.NDArray[np.intp]
    bounds: npt.NDArray[np.intp]
    by_cpu: Mapping[int, CpuRun]
    idle: tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]

    @classmethod
    def of(cls, records: WaitRecords) -> "CpuRuns":
        """Return the runs of a recording."""
        switches = records.switches
        by_time = np.flatnonzero(switches.kind == SwitchKind.IN)
        threads = switches.thread[by_time]
        if len(records.threads) < _RADIX_SORTED:
            threads = threads.astype(np.uint16)
        ins = by_time[np.argsort(threads, kind="stable")]
        bounds = np.searchsorted(switches.thread[ins], np.arange(len(records.threads) + 1))
        start = float(records.begin_ns)
        by_cpu = {}
        for cpu in np.unique(switches.cpu[by_time]).tolist():
            rows = by_time[switches.cpu[by_time] == cpu]
            times = switches.time_ns[rows].astype(np.float64)
            edges = np.append(times, max(times[-1], float(records.end_ns)))
            # Before the first record on the CPU, the thread that it replaces ran.
            runner = np.append([switches.other[rows[0]]], switches.thread[rows])
            by_cpu[cpu] = (np.append([0.0], edges - start), runner)
        is_idle = np.array([thread.pid == 0 for thread in records.threads], np.bool_)
        idle = _some_idle(list(by_cpu.values()), is_idle)
        return cls(start, ins, bounds, by_cpu, idle)


def _some_idle(
    runs: Sequence[CpuRun], is_idle: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return times, and whether a CPU is idle from each of them on; few with many CPUs."""
    times, changes = [np.zeros(1)], [np.zeros(1, np.int64)]
    for edges, runner in runs:
        idle = (runner != NO_THREAD) & is_idle[np.where(runner == NO_THREAD, 0, runner)]
        for bound, change in ((edges[:-1], 1), (edges[1:], -1)):
            times.append(bound[idle])
            changes.append(np.full(int(idle.sum()), change))
    time = np.concatenate(times)
    order = np.argsort(time, kind="stable")
    idle = np.cumsum(np.concatenate(changes)[order]) > 0
    differs = np.append(True, idle[1:] != idle[:-1])
    return time[order][differs], idle[differs]


def _queue_cpus(
    records: WaitRecords,
    cpu_runs: CpuRuns,
    intervals: Intervals,
    queued: npt.NDArray[np.intp],
) -> npt.NDArray[np.int64]:
    """Return the CPU on which the thread of each interval runs next, else the last; -1 if none."""
    switches = records.switches
    ins, bounds = cpu_runs.ins, cpu_runs.bounds
    result = np.full(len(queued), -1, np.int64)
    for thread in np.unique(intervals.thread[queued]).tolist():
        rows = np.flatnonzero(intervals.thread[queued] == thread)
        of_thread = ins[bounds[thread] : bounds[thread + 1]]
        if len(of_thread):
            # A switch-in counts from its time in the scheduler, a little before its record.
            ends = intervals.end_ns[queued[rows]]
            place = np.searchsorted(switches.time_ns[of_thread], ends, side="left")
            result[rows] = switches.cpu[of_thread[np.minimum(place, len(of_thread) - 1)]]
    return result


def _occupied(
    cpu_runs: CpuRuns,
    threads: int,
    cpu: int,
    begin_ns: npt.NDArray[np.uint64],
    end_ns: npt.NDArray[np.uint64],
) -> npt.NDArray[np.float64]:
    """Return, by thread, the time it ran on a CPU, times the number of queued threads then.

    And, in the second row, that part of it in which another CPU was idle.
    """
    result = np.zeros((2, threads))
    if cpu not in cpu_runs.by_cpu:
        return result
    run_edges, runners = cpu_runs.by_cpu[cpu]
    idle_times, some_idle = cpu_runs.idle
    start = cpu_runs.start_ns
    times, grown = _queued_integral(
        begin_ns.astype(np.float64) - start, end_ns.astype(np.float64) - start
    )
    within = (idle_times > run_edges[0]) & (idle_times < run_edges[-1])
    edges = np.union1d(run_edges, idle_times[within])
    runner = runners[np.searchsorted(run_edges, edges[:-1], side="right") - 1]
    beside_idle = some_idle[np.searchsorted(idle_times, edges[:-1], side="right") - 1]
    used = np.diff(np.interp(edges, times, grown))
    known = runner != NO_THREAD
    beside = known & beside_idle
    result[0] = np.bincount(runner[known], used[known], minlength=threads)
    result[1] = np.bincount(runner[beside], used[beside], minlength=threads)
    return result


def _queued_integral(
    begin: npt.NDArray[np.float64], end: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return times and the sum of time in the queue until then, which is linear in between."""
    times = np.concatenate([begin, end])
    change = np.concatenate([np.ones(len(begin)), -np.ones(len(end))])
    order = np.argsort(times, kind="stable")
    times, waiting = times[order], np.cumsum(change[order])
    grown = np.append(0.0, np.cumsum(np.diff(times) * waiting[:-1]))
    return times, grown


def _users(
    threads: Sequence[WaitingThread], by_thread: npt.NDArray[np.float64], total_ns: int
) -> tuple[RunQueueUse, ...]:
    sums: dict[tuple[QueueUserKind, str, int | None], npt.NDArray[np.float64]] = {}
    for number in np.flatnonzero(by_thread[0] > 0).tolist():
        key = _user(threads[number])
        sums[key] = sums.get(key, np.zeros(2)) + by_thread[:, number]
    users = [
        RunQueueUse(*key, round(used), 0 if key[0] == QueueUserKind.IDLE else round(beside_idle))
        for key, (used, beside_idle) in sums.items()
    ]
    rest = total_ns - sum(user.time_ns for user in users)
    if rest > 0:
        users.append(RunQueueUse(QueueUserKind.UNKNOWN, "no record", None, rest))
    return tuple(sorted(users, key=lambda user: (-user.time_ns, user.name)))


def is_kernel_thread(thread: WaitingThread) -> bool:
    """Return whether a thread is the kernel's, such as ksoftirqd/0, or the idle thread."""
    of_kernel = bool(_KERNEL_THREAD.match(thread.name)) and thread.process_name == thread.name
    return thread.pid == 0 or of_kernel


def _user(thread: WaitingThread) -> tuple[QueueUserKind, str, int | None]:
    if thread.target:
        return QueueUserKind.TARGET, "threads of the target", None
    if thread.pid == 0:
        return QueueUserKind.IDLE, "idle", None
    if is_kernel_thread(thread):
        return QueueUserKind.KERNEL_THREAD, thread.name, thread.pid
    if thread.process_name in _RECORDER:
        return QueueUserKind.RECORDER, RECORDER_NAME, None
    return QueueUserKind.PROCESS, thread.process_name or thread.name or SHORT_LIVED, thread.pid
