"""What requests do, counted: waits, wake-ups, waits for locks, samples in memory allocation."""

import numpy as np
import numpy.typing as npt

from topdown.requests.span_states import TimeAxis
from topdown.requests.spans import Requests
from topdown.waits.futex_waits import FutexWaits
from topdown.waits.records import NO_STACK, NO_THREAD, SwitchKind, WaitRecords, WakeContext
from topdown.waits.stack_names import StackNames

ACTIVITIES = (
    "waits",  # times a thread left the CPU to wait
    "preemptions",
    "wake_ups",  # of other threads, by the request
    "lock_waits",  # calls of locks that had to wait
    "allocation_samples",  # CPU samples below functions that allocate, free or map memory
)
_ALLOCATION = frozenset(
    (
        "malloc",
        "calloc",
        "realloc",
        "reallocarray",
        "free",
        "cfree",
        "posix_memalign",
        "aligned_alloc",
        "memalign",
        "operator new",
        "operator delete",
        "mmap",
        "mmap64",
        "munmap",
        "mremap",
        "madvise",
        "brk",
        "sbrk",
    )
)
_ALLOCATION_IN_KERNEL = frozenset(
    (
        "asm_exc_page_fault",
        "exc_page_fault",
        "do_user_addr_fault",
        "handle_mm_fault",
        "__x64_sys_mmap",
        "__x64_sys_munmap",
        "__x64_sys_brk",
        "__x64_sys_madvise",
        "__arm64_sys_mmap",
        "__arm64_sys_munmap",
        "__arm64_sys_brk",
        "do_translation_fault",
        "do_page_fault",
    )
)
Counts = npt.NDArray[np.int64]


def request_activity(
    requests: Requests, records: WaitRecords, names: StackNames, locks: FutexWaits
) -> Counts:
    """Return the number of events by request, (n_requests, len(ACTIVITIES)).

    Wake-ups are 0 if they were not recorded.
    """
    switches, samples, wakes = records.switches, records.cpu_samples, records.wake_ups
    asleep = switches.kind == SwitchKind.OUT_ASLEEP
    preempted = switches.kind == SwitchKind.OUT_PREEMPTED
    columns = [
        _counts(requests, records, switches.thread[asleep], switches.time_ns[asleep]),
        _counts(requests, records, switches.thread[preempted], switches.time_ns[preempted]),
    ]
    if wakes is None:
        columns.append(np.zeros(len(requests), np.int64))
    else:
        own = (wakes.context == WakeContext.TASK) & (wakes.waker != NO_THREAD)
        columns.append(_counts(requests, records, wakes.waker[own], wakes.time_ns[own]))
    contended = locks.take(locks.is_lock)
    columns.append(_counts(requests, records, contended.thread, contended.begin_ns))
    allocates = allocating_stacks(names)
    chosen = np.flatnonzero(samples.stack != NO_STACK)
    chosen = chosen[allocates[samples.stack[chosen]]]
    columns.append(_counts(requests, records, samples.thread[chosen], samples.time_ns[chosen]))
    return np.stack(columns, axis=1)


def allocating_stacks(names: StackNames) -> npt.NDArray[np.bool_]:
    """Return which stacks contain a function that allocates, frees or maps memory."""
    plain = [
        name.partition("(")[0].partition("@")[0].removeprefix("__libc_") for name in names.names
    ]
    in_program = np.array([name in _ALLOCATION for name in plain], np.bool_)
    in_kernel = np.array([name in _ALLOCATION_IN_KERNEL for name in names.names], np.bool_)
    return names.matching(in_program, kernel=False) | names.matching(in_kernel, kernel=True)


def _counts(
    requests: Requests,
    records: WaitRecords,
    thread: npt.NDArray[np.integer],
    time_ns: npt.NDArray[np.integer],
) -> Counts:
    """Return the number of events of threads within the segments of each request."""
    axis = TimeAxis.of(records)
    inside = (time_ns >= records.begin_ns) & (time_ns <= records.end_ns)
    events = np.sort(axis.place(thread[inside], time_ns[inside]))
    segments = requests.segments.on_recorded_threads()
    begin = axis.place(segments.thread, segments.begin_ns)
    end = axis.place(segments.thread, segments.end_ns)
    counts = np.searchsorted(events, end) - np.searchsorted(events, begin)
    sums = np.bincount(segments.request, counts, minlength=len(requests))
    return np.rint(sums).astype(np.int64)
