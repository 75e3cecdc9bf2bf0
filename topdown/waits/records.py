"""Context switches, wake-ups and samples of a recording, as arrays sorted by time.

All times are nanoseconds of CLOCK_MONOTONIC, uint64. A thread is an index into ``threads``, uint32,
or NO_THREAD. A stack is the index of a unique stack of the capture, uint32, or NO_STACK.
"""

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
import numpy.typing as npt

NO_THREAD = 0xFFFFFFFF
NO_STACK = 0xFFFFFFFF
NO_ROW = 0xFFFFFFFF

Times = npt.NDArray[np.uint64]
Indices = npt.NDArray[np.uint32]
Codes = npt.NDArray[np.uint8]
Cpus = npt.NDArray[np.int32]


class SwitchKind(IntEnum):
    """Direction of a context switch of a thread."""

    IN = 0  # starts to run
    OUT_ASLEEP = 1  # leaves the CPU and waits for a wake-up
    OUT_PREEMPTED = 2  # leaves the CPU but can still run


class TaskKind(IntEnum):
    """Event in the life of a thread."""

    START = 0
    EXIT = 1
    EXEC = 2


class WakeContext(IntEnum):
    """Code that issued a wake-up."""

    TASK = 0  # the waker is the thread that ran
    HARD_INTERRUPT = 1  # a timer or a device; the thread that ran is a bystander
    SOFT_INTERRUPT = 2  # network or block completion; see the call chain for the true cause


@dataclass(frozen=True, slots=True)
class WaitingThread:
    """A thread of the recording; names are decoded with replacement, unescaped."""

    pid: int
    tid: int
    name: str
    process_name: str
    target: bool  # False: another process, seen by CPU-wide records only


@dataclass(frozen=True, slots=True)
class Switches:
    """Switch records (PERF_RECORD_SWITCH or SWITCH_CPU_WIDE).

    ``other``: the next or previous thread of a CPU-wide record, else NO_THREAD.
    """

    time_ns: Times
    thread: Indices
    cpu: Cpus  # -1 if not recorded
    kind: Codes  # SwitchKind
    other: Indices


@dataclass(frozen=True, slots=True)
class SwitchSamples:
    """Samples of the context-switches event: the stack and registers with which a thread left.

    ``register_row``: row of ``registers``, or NO_ROW. ``registers`` uint64 (n_rows, 10), the
    columns of REGISTER_NAMES; on arm64 the argument registers x0 to x5, x8 and lr.
    """

    time_ns: Times
    thread: Indices
    stack: Indices
    register_row: Indices
    registers: npt.NDArray[np.uint64]


# x86-64: result is ax, number is ax before the call (lost: see the code bytes before ip),
# argument0 to argument5 are di, si, dx, r10, r8, r9, and return_address is cx.
REGISTER_NAMES = (
    "ip",
    "sp",
    "result",
    "argument0",
    "argument1",
    "argument2",
    "argument3",
    "argument4",
    "argument5",
    "return_address",
)


@dataclass(frozen=True, slots=True)
class WakeUps:
    """Wake-ups (sched_waking): ``wakee`` becomes able to run.

    ``waker``: the thread that ran, a bystander if ``context`` is not TASK.
    """

    time_ns: Times
    wakee: Indices
    waker: Indices
    cpu: Cpus
    context: Codes  # WakeContext
    stack: Indices


@dataclass(frozen=True, slots=True)
class TaskEvents:
    """Starts, exits and execs of threads."""

    time_ns: Times
    thread: Indices
    kind: Codes  # TaskKind


@dataclass(frozen=True, slots=True)
class CpuSamples:
    """Samples of CPU time."""

    time_ns: Times
    thread: Indices
    cpu: Cpus
    stack: Indices
    period_ns: Times


@dataclass(frozen=True, slots=True)
class ThreadReading:
    """A reading of /proc/PID/task/TID."""

    at_ns: int
    thread: int
    state: str  # the letter of /proc/TID/stat, empty if the thread had ended
    run_ns: int | None  # schedstat: time on a CPU
    queue_ns: int | None  # schedstat: time in a run queue
    syscall: tuple[int, ...] = ()  # number and arguments if it is blocked in one
    cgroup: str = ""
    runs: int | None = None  # schedstat: how often it has come to a CPU
    major_faults: int | None = None  # page faults that needed a disk


@dataclass(frozen=True, slots=True)
class LostRecords:
    """A period in which a CPU's ring was full: states that change in it are unknown."""

    begin_ns: int
    end_ns: int
    cpu: int  # -1: unknown
    records: int  # 0: unknown


@dataclass(frozen=True, slots=True)
class ThrottledTime:
    """Throttling of a cgroup and steal of the machine between start and end of the recording."""

    cgroup: str
    throttled_ns: int | None  # None: not readable, or no limit
    periods_throttled: int | None
    steal_ns: int | None


@dataclass(frozen=True, slots=True)
class OwnerReading:
    """The owner of a lock, read from the target's memory while a thread waited for it."""

    at_ns: int  # time of the reading
    waiter: int  # thread index
    address: int  # of the futex
    kind: str  # "mutex", "rwlock-write", ...
    owner_tid: int | None  # None: not known
    reason: str = ""  # why the owner is not known


@dataclass(frozen=True, slots=True)
class Descriptor:
    """An open file descriptor of a process."""

    pid: int
    fd: int
    kind: str  # "file", "socket", "pipe", "eventfd", "epoll", "timerfd", "device", "block device"
    target: str  # text of the link in /proc/PID/fd


@dataclass(frozen=True, slots=True)
class WaitSource:
    """A source of records, and why it is missing."""

    name: str  # "switches", "switch_stacks", "sched_waking", "readings", ...
    available: bool
    reason: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class KernelContention:
    """Records of lock:contention_begin and contention_end, sorted by time.

    ``flags``: of a begin, those of the tracepoint; of an end (``end`` 1), its result.
    """

    time_ns: Times
    thread: Indices
    address: Times
    flags: Indices
    end: Codes
    stack: Indices


@dataclass(frozen=True, slots=True)
class WaitRecords:
    """Everything a recording says about waiting.

    ``wake_ups``: None if this user may not trace wake-ups. ``whole_cpus``: whether switches of
    other processes are recorded too. ``limited_from_ns``: from this time on the recorder limited
    its cost, None if all switches were recorded; then it recorded switches in ``windows`` only,
    (n, 2), in order of time, and nothing but readings if there are none.
    """

    begin_ns: int
    end_ns: int
    threads: tuple[WaitingThread, ...]
    switches: Switches
    switch_samples: SwitchSamples
    wake_ups: WakeUps | None
    tasks: TaskEvents
    cpu_samples: CpuSamples
    readings: tuple[ThreadReading, ...] = ()
    lost: tuple[LostRecords, ...] = ()
    throttled: tuple[ThrottledTime, ...] = ()
    owners: tuple[OwnerReading, ...] = ()
    descriptors: tuple[Descriptor, ...] = ()
    sources: tuple[WaitSource, ...] = ()
    contention: KernelContention | None = None  # None: not recorded
    whole_cpus: bool = False
    cpus: int = 1
    limited_from_ns: int | None = None
    windows: Times = field(default_factory=lambda: np.zeros((0, 2), np.uint64))
