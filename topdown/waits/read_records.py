"""The records of waits of a recording: its capture and its log, as WaitRecords.

Thread ids may be used again within a recording; each thread that starts after the exit of another
with the same ids gets a separate row. Switches are taken from the records of threads if a thread
has these, else from those of whole CPUs: both describe the same switch.

Cost: 0.3 us per switch.
"""

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topdown.stacks.captures.events import select_event
from topdown.waits.records import (
    NO_ROW,
    NO_THREAD,
    CpuSamples,
    Descriptor,
    KernelContention,
    LostRecords,
    OwnerReading,
    Switches,
    SwitchSamples,
    TaskEvents,
    ThreadReading,
    ThrottledTime,
    Times,
    WaitRecords,
    WaitSource,
    WakeContext,
    WakeUps,
)
from topdown.waits.thread_lives import ThreadLives
from topdown.waits.wait_log import ThreadLine, WaitLog
from topdown.waits.wait_windows import gaps_between, recorded_windows
from topdown.waits.waker_stacks import waker_stack_rows, with_waker_stacks

if TYPE_CHECKING:
    from stallscope._native import Capture

_SOFTWARE, _CONTEXT_SWITCHES, _DUMMY = 1, 3, 9  # PERF_TYPE_SOFTWARE, PERF_COUNT_SW_*
_TRACEPOINT = 2
_HARD_INTERRUPT, _SOFT_INTERRUPT = 0x08, 0x10  # common_flags of a tracepoint
_WORD_LIMIT = 1 << 64
_LOST_LIMIT = 1 << 32  # records that one loss can hold
_TIME_LIMIT = 1 << 62  # 146 years; later times are damaged, and would overflow in sums


def read_wait_records(
    capture: "Capture",
    log: WaitLog | None = None,
    *,
    begin_ns: int | None = None,
    end_ns: int | None = None,
    cpus: int | None = None,
) -> WaitRecords:
    """Return the records of a capture and its log.

    ``begin_ns`` and ``end_ns``: of the recording; None: from the first to the last record.
    ``cpus``: the machine's number of CPUs; None: the highest recorded number of a CPU plus 1.
    """
    lives = ThreadLives.of(capture)
    switches = _switches(capture, lives)
    samples = switch_sample_rows(capture)
    cpu_rows = cpu_sample_rows(capture)
    is_target = _targets(capture, log, samples, cpu_rows)
    begin, end = _extent(capture, log, begin_ns, end_ns)
    limited_from, windows = recorded_windows(log)
    return WaitRecords(
        begin_ns=begin,
        end_ns=end,
        threads=lives.threads(is_target),
        switches=switches,
        switch_samples=_switch_samples(capture, lives, samples),
        wake_ups=_wake_ups(capture, lives),
        tasks=TaskEvents(
            _limited(capture.task_time_ns),
            lives.at_times(capture.task_thread, capture.task_time_ns),
            capture.task_kind,
        ),
        cpu_samples=_cpu_samples(capture, lives, cpu_rows),
        readings=_readings(log, lives),
        lost=gaps_between(limited_from, windows, end)
        + tuple(
            LostRecords(*row)
            for row in zip(
                _limited(capture.lost_begin_ns).tolist(),
                _limited(capture.lost_end_ns).tolist(),
                capture.lost_cpu.tolist(),
                np.minimum(capture.lost_count, np.uint64(_LOST_LIMIT)).tolist(),
                strict=True,
            )
        ),
        throttled=_throttled(log),
        owners=_owners(log, lives),
        descriptors=_descriptors(log),
        sources=()
        if log is None
        else tuple(
            WaitSource(row.name, row.available, row.reason, row.remedy) for row in log.sources
        ),
        contention=_contention(capture, lives),
        whole_cpus=_has_whole_cpus(capture),
        cpus=cpus or _cpus_seen(capture),
        limited_from_ns=limited_from,
        windows=windows,
    )


def _limited(times: Times) -> Times:
    """Return the times, limited to those that cannot overflow; without a copy if they are."""
    too_late = len(times) and int(times.max()) > _TIME_LIMIT
    return np.minimum(times, np.uint64(_TIME_LIMIT)) if too_late else times


def _switches(capture: "Capture", lives: ThreadLives) -> Switches:
    """Return the switches, those of threads before those of whole CPUs."""
    thread, other = capture.switch_thread, capture.switch_other
    times = _limited(capture.switch_time_ns)
    of_cpu = other != NO_THREAD
    used = np.ones(len(thread), np.bool_)
    if of_cpu.any() and not of_cpu.all():
        used = ~of_cpu | ~_with_own_switches(capture)[thread]
    if used.all():
        time_ns, cpu, kind = times, capture.switch_cpu, capture.switch_kind
    else:
        time_ns, cpu = times[used], capture.switch_cpu[used]
        kind, thread, other = capture.switch_kind[used], thread[used], other[used]
    return Switches(
        time_ns, lives.at_times(thread, time_ns), cpu, kind, lives.at_times(other, time_ns)
    )


def _with_own_switches(capture: "Capture") -> npt.NDArray[np.bool_]:
    """Return whether each thread of the capture has switch records of threads.

    These have no other thread. Few of those of whole CPUs have none either: that thread's ids are
    not known.
    """
    count = len(capture.threads)
    of_cpu = capture.switch_other != NO_THREAD
    own = np.bincount(capture.switch_thread[~of_cpu], minlength=count)
    wide = np.bincount(capture.switch_thread[of_cpu], minlength=count)
    return np.asarray((own > 0) & (2 * own >= wide))


def _has_whole_cpus(capture: "Capture") -> bool:
    return bool((capture.switch_other != NO_THREAD).any())


def _event_rows(capture: "Capture", *, switch_samples: bool) -> npt.NDArray[np.intp]:
    """Return the samples of context switches, or those of events that measure CPU time."""
    if not capture.attributes or not len(capture.event):
        return np.zeros(0, np.intp)
    chosen = np.array(
        [
            attribute.type == _SOFTWARE and attribute.config == _CONTEXT_SWITCHES
            for attribute in capture.attributes
        ],
        np.bool_,
    )
    others = np.array(
        [
            attribute.type == _TRACEPOINT
            or (attribute.type == _SOFTWARE and attribute.config == _DUMMY)
            for attribute in capture.attributes
        ],
        np.bool_,
    )
    return np.flatnonzero((chosen if switch_samples else ~chosen & ~others)[capture.event])


def switch_sample_rows(capture: "Capture") -> npt.NDArray[np.intp]:
    """Return the capture's rows of samples of context switches."""
    return _event_rows(capture, switch_samples=True)


def cpu_sample_rows(capture: "Capture") -> npt.NDArray[np.intp]:
    """Return the capture's rows of the first event that samples code on a CPU."""
    rows = _event_rows(capture, switch_samples=False)
    if not len(rows):
        return rows
    return select_event(capture, int(capture.event[rows].min())).rows


def _targets(
    capture: "Capture",
    log: WaitLog | None,
    switch_samples: npt.NDArray[np.intp],
    cpu_rows: npt.NDArray[np.intp],
) -> npt.NDArray[np.bool_]:
    """Return which of the capture's threads belong to the target.

    These are the threads of processes with records of threads (samples, switches), or named in
    the log. Records of whole CPUs also concern other processes; if there are no others, all
    threads but the idle ones are the target.
    """
    pids = np.array([thread.pid for thread in capture.threads], np.int64)
    is_idle = np.array([thread.pid == 0 for thread in capture.threads], np.bool_)
    of_target = np.zeros(len(pids), np.bool_)
    of_target[capture.thread[switch_samples]] = True
    of_target[capture.thread[cpu_rows]] = True
    if not _has_whole_cpus(capture):
        of_target[capture.switch_thread] = True
    logged = {line.pid for line in log.threads} if log is not None else set[int]()
    of_target |= np.isin(pids, list(logged))
    if not of_target.any():
        return ~is_idle
    return np.isin(pids, np.unique(pids[of_target])) & ~is_idle


def _switch_samples(
    capture: "Capture", lives: ThreadLives, rows: npt.NDArray[np.intp]
) -> SwitchSamples:
    time_ns = _limited(capture.time_ns[rows])
    if len(capture.register_row):
        register_row = capture.register_row[rows]
    else:
        register_row = np.full(len(rows), NO_ROW, np.uint32)
    return SwitchSamples(
        time_ns,
        lives.at_times(capture.thread[rows], time_ns),
        capture.stack[rows],
        register_row,
        capture.registers,
    )


def _wake_ups(capture: "Capture", lives: ThreadLives) -> WakeUps | None:
    """Return the wake-ups; None if the capture has no event that records them."""
    names = (attribute.name.split(":") for attribute in capture.attributes)
    if not any(parts[:2] == ["sched", "sched_waking"] for parts in names):
        return None
    time_ns, flags = _limited(capture.wake_time_ns), capture.wake_flags
    context = np.full(len(flags), WakeContext.TASK, np.uint8)
    context[(flags & _SOFT_INTERRUPT) != 0] = WakeContext.SOFT_INTERRUPT
    context[(flags & _HARD_INTERRUPT) != 0] = WakeContext.HARD_INTERRUPT
    wake_ups = WakeUps(
        time_ns,
        lives.at_times(capture.wake_wakee, time_ns),
        lives.at_times(capture.wake_waker, time_ns),
        capture.wake_cpu,
        context,
        capture.wake_stack,
    )
    rows = waker_stack_rows(capture)
    times = _limited(capture.time_ns[rows])
    waker = lives.at_times(capture.thread[rows], times)
    return with_waker_stacks(wake_ups, times, waker, capture.stack[rows])


def _contention(capture: "Capture", lives: ThreadLives) -> KernelContention | None:
    """Return the contended locks of the kernel; None if the capture has no event of them."""
    names = (attribute.name.split(":") for attribute in capture.attributes)
    if not any(parts[:2] == ["lock", "contention_begin"] for parts in names):
        return None
    time_ns = capture.contention_time_ns
    return KernelContention(
        time_ns,
        lives.at_times(capture.contention_thread, time_ns),
        capture.contention_address,
        capture.contention_flags,
        capture.contention_end,
        capture.contention_stack,
    )


def _cpu_samples(capture: "Capture", lives: ThreadLives, rows: npt.NDArray[np.intp]) -> CpuSamples:
    time_ns = _limited(capture.time_ns[rows])
    return CpuSamples(
        time_ns,
        lives.at_times(capture.thread[rows], time_ns),
        capture.cpu[rows],
        capture.stack[rows],
        capture.period[rows],
    )


def _extent(
    capture: "Capture", log: WaitLog | None, begin_ns: int | None, end_ns: int | None
) -> tuple[int, int]:
    columns = (
        capture.time_ns,
        capture.switch_time_ns,
        capture.task_time_ns,
        capture.wake_time_ns,
    )
    moments = [
        int(times[times > 0][place]) for times in columns if times.any() for place in (0, -1)
    ]
    moments += [line.at_ns for line in log.threads] if log is not None else []
    begin = min(moments, default=0) if begin_ns is None else begin_ns
    end = max(begin, max(moments, default=0) if end_ns is None else end_ns)
    return min(begin, _TIME_LIMIT), min(end, _TIME_LIMIT)


def _cpus_seen(capture: "Capture") -> int:
    highest = max(int(capture.cpu.max(initial=-1)), int(capture.switch_cpu.max(initial=-1)))
    return highest + 1 if highest >= 0 else 1


def _readings(log: WaitLog | None, lives: ThreadLives) -> tuple[ThreadReading, ...]:
    if log is None:
        return ()
    readings = [
        ThreadReading(
            line.at_ns,
            thread,
            line.state,
            line.run_ns,
            line.queue_ns,
            _call(line),
            line.cgroup,
            line.runs,
            line.major_faults,
        )
        for line in log.threads
        if (thread := lives.at(line.pid, line.tid, line.at_ns)) is not None
    ]
    return tuple(sorted(readings, key=lambda reading: reading.at_ns))


def _call(line: ThreadLine) -> tuple[int, ...]:
    words = line.syscall or ()
    return words if all(-_WORD_LIMIT < word < _WORD_LIMIT for word in words) else ()


def _throttled(log: WaitLog | None) -> tuple[ThrottledTime, ...]:
    """Return the throttling of each cgroup, and stolen time, between start and end."""
    if log is None:
        return ()
    steal = _difference([line.steal_ns for line in log.cpus])
    by_path = defaultdict(list)
    for line in log.cgroups:
        by_path[line.path].append(line)
    rows = [
        ThrottledTime(
            path,
            _difference([line.throttled_ns for line in lines]),
            _difference([line.periods_throttled for line in lines]),
            steal,
        )
        for path, lines in by_path.items()
    ]
    if not rows and steal is not None:
        rows.append(ThrottledTime("", None, None, steal))
    return tuple(rows)


def _difference(values: list[int | None]) -> int | None:
    """Return the growth from the first to the last value; None without two values."""
    known = [value for value in values if value is not None]
    return max(0, known[-1] - known[0]) if len(known) > 1 else None


def _owners(log: WaitLog | None, lives: ThreadLives) -> tuple[OwnerReading, ...]:
    if log is None:
        return ()
    return tuple(
        OwnerReading(line.at_ns, waiter, line.address, line.kind, line.owner_tid, line.reason)
        for line in log.owners
        if line.address < _WORD_LIMIT
        and (waiter := lives.at(line.pid, line.waiter, line.at_ns)) is not None
    )


def _descriptors(log: WaitLog | None) -> tuple[Descriptor, ...]:
    """Return the open descriptors of the target; of a number used twice, the first one."""
    rows: dict[tuple[int, int], Descriptor] = {}
    for line in log.descriptors if log is not None else ():
        row = Descriptor(line.pid, line.fd, line.kind, line.target)
        rows.setdefault((line.pid, line.fd), row)
    return tuple(rows.values())
