"""The result of `stallscope waits`: wall time by state, locks, causes and idle pools.

Every state is in ``states_ns``, also with 0, and those of a thread add up to its ``wall_ns``.
"""

from stallscope.documents import Amount, Count, Document, Integer, Record, Share


class ThreadWaits(Record, frozen=True, kw_only=True):
    """A thread; ``run_ns`` and ``queue_ns`` are those of schedstat, None if it was not read.

    ``measured_run_ns`` and ``measured_queue_ns``: by the states between the same two readings.
    ``errors_ns``: half the width of the 95 % interval of each state; None if every switch was
    recorded.
    """

    tid: Integer
    name: str
    states_ns: dict[str, Count]
    pid: Integer
    process: str
    group: str
    wall_ns: Count
    run_ns: Count | None
    queue_ns: Count | None
    measured_run_ns: Count | None = None
    measured_queue_ns: Count | None = None
    errors_ns: dict[str, Count] | None = None


class GroupWaits(Record, frozen=True, kw_only=True):
    """Threads of one program whose names differ by a number at most; sums over the threads."""

    process: str
    name: str
    threads: Count
    wall_ns: Count
    states_ns: dict[str, Count]
    errors_ns: dict[str, Count] | None = None  # those of the threads are independent


class StateSource(Record, frozen=True, kw_only=True):
    """Source of the time in a state."""

    state: str
    source: str
    time_ns: Count


class MissingSource(Record, frozen=True, kw_only=True):
    """A source that was not available, and how it becomes available."""

    name: str
    reason: str
    remedy: str


class LockOwner(Record, frozen=True, kw_only=True):
    """The thread that held a lock for the longest part of the waits.

    ``stack``: functions, innermost first; ``stack_source`` names where it comes from.
    """

    tid: Integer
    name: str
    stack: tuple[str, ...] = ()
    stack_source: str = ""
    share: Share | None = None  # of the wait time with a known owner


class LockCaller(Record, frozen=True, kw_only=True):
    """Wait time of a lock by function: of calls in it, and of all calls below it."""

    function: str
    attributed_ns: Count
    inclusive_ns: Count


class LockHold(Record, frozen=True, kw_only=True):
    """Mean time for which a lock was held while ``threads`` threads competed for it."""

    threads: Count
    holds: Count
    mean_ns: Count


class LockWaits(Record, frozen=True, kw_only=True):
    """Waits for one lock; ``owner_unknown``: why no owner is named.

    ``woken_per_wake_up``: threads woken by one call; None without wake-up records. ``holds`` are
    those visible between two ends of waits.
    """

    address: str  # hexadecimal
    kind: str
    wait_ns: Count
    waits: Count
    owner: LockOwner | None
    callers: tuple[LockCaller, ...]
    owner_unknown: str = ""
    longest_ns: Count = 0
    waiters: Count = 0  # different threads
    woken_per_wake_up: Amount | None = None
    holds: tuple[LockHold, ...] = ()
    signs: tuple[str, ...] = ()  # convoy, thundering herd, preempted holder, ...


class CauseLink(Record, frozen=True, kw_only=True):
    """A link of the chain from a waiting thread to the cause."""

    name: str
    wait_ns: Count


class WaitCause(Record, frozen=True, kw_only=True):
    """A cause of waits, with the wait time that ends at it.

    "cpu", "throttle" and "steal" are causes of time in which threads could run: a process that used
    the CPU, the quota of a cgroup, the hypervisor. ``confidence``: in the steps of the chain, 1 if
    the records show each; a packet whose delivery was deferred has an inferred sender, or none: 0.
    """

    kind: str  # "thread", "process", "run_queue", "disk", "network", "cpu", "throttle", ...
    name: str
    wait_ns: Count
    chain: tuple[CauseLink, ...]
    confidence: Share = 1.0


class LockFunction(LockCaller, frozen=True, kw_only=True):
    """Time in waits for locks of a function: as caller of the lock, and with the calls below it.

    ``callers`` and ``callees``: neighbours in the call chains, with the waiting time through both.
    """

    waits: Count
    callers: tuple[CauseLink, ...]
    callees: tuple[CauseLink, ...]


class SpinningFunction(Record, frozen=True, kw_only=True):
    """CPU time of threads that spin in user space: no futex and no state shows these waits."""

    function: str
    threads: Count
    cpu_ns: Count
    share: Share  # of the CPU time of the target


class KernelLockWaits(Record, frozen=True, kw_only=True):
    """Waits for a lock of the kernel, from the tracepoints lock:contention_begin and _end."""

    address: str  # hexadecimal
    kind: str  # "spin", "mutex", "rwsem-read", ...
    function: str  # of the kernel, that takes the lock most often; empty without call chains
    wait_ns: Count
    waits: Count


class EndedWait(Record, frozen=True, kw_only=True):
    """Waits of threads of a name in the same functions, and what ended them.

    ``waker``: a thread, or the source of an interrupt. Functions are innermost first; those of the
    waker are empty if they were not recorded.
    """

    thread: str
    functions: tuple[str, ...]
    waker: str
    waker_functions: tuple[str, ...]
    wait_ns: Count
    waits: Count


class GraphEdge(Record, frozen=True, kw_only=True):
    """Time that a mean thread of the group ``waiter`` waits for ``cause``."""

    waiter: str
    cause: str
    wait_ns: Count


class WaitForGraph(Record, frozen=True, kw_only=True):
    """The wait-for graph of groups of threads and devices.

    ``knots``: groups of nodes that wait for no other node, directly or indirectly. ``missing``:
    edges that the recording cannot have. ``unexplained_ns``: waits without a recorded cause.
    ``followed_share``: of the waits; the times are scaled to all waits.
    """

    edges: tuple[GraphEdge, ...]
    knots: tuple[tuple[str, ...], ...]
    wait_ns: Count
    unexplained_ns: Count
    missing: tuple[str, ...]
    followed_share: Share


class IdlePool(Record, frozen=True, kw_only=True):
    """Threads that wait for work; ``rule`` is the rule by which they were set apart."""

    name: str
    process: str
    threads: Count
    wall_ns: Count
    place: str
    rule: str


class QueueUser(Record, frozen=True, kw_only=True):
    """What ran while threads of the target were in the run queue of its CPU.

    ``beside_idle_ns``: of ``time_ns``, while another CPU was idle.
    """

    kind: str  # "target", "process", "kernel thread", "recorder", "idle" or "unknown"
    name: str
    pid: Integer | None
    cgroup: str | None
    time_ns: Count
    beside_idle_ns: Count = 0


class ThreadTimeline(Record, frozen=True, kw_only=True):
    """The state with most time in each step, as runs of (state, steps).

    The state is empty while the thread does not live; "user" stands for both running states.
    """

    tid: Integer
    name: str
    runs: tuple[tuple[str, Count], ...]


class WaitTimeline(Record, frozen=True, kw_only=True):
    """States over time of the threads with most CPU time."""

    steps: Count
    step_ns: Amount
    threads: tuple[ThreadTimeline, ...]


class WaitsPeriod(Record, frozen=True, kw_only=True):
    """A period of a recording, in seconds since its begin; all times are those inside it."""

    begin_s: Amount
    end_s: Amount


class WaitsResult(Document, frozen=True, kw_only=True, tag="stallscope.waits/1"):
    """Wall time of threads by state. ``causes`` are in order of cost.

    ``ended_waits`` are the longest waits by place and waker; ``wakers_unavailable``: why the call
    chains of wakers are not known. ``unattributed_share``: of all wall time, in the states other
    and unknown; None without time. ``period``: None for the whole recording.
    """

    title: str
    wall_ns: Count
    threads: tuple[ThreadWaits, ...]
    groups: tuple[GroupWaits, ...]
    locks: tuple[LockWaits, ...]
    causes: tuple[WaitCause, ...]
    idle_pools: tuple[IdlePool, ...]
    run_queue: tuple[QueueUser, ...]
    timeline: WaitTimeline | None
    graph: WaitForGraph | None = None
    lock_functions: tuple[LockFunction, ...] = ()
    kernel_locks: tuple[KernelLockWaits, ...] = ()
    spinning: tuple[SpinningFunction, ...] = ()
    ended_waits: tuple[EndedWait, ...] = ()
    wakers_unavailable: str = ""
    period: WaitsPeriod | None = None
    unattributed_share: Amount | None
    sources: tuple[StateSource, ...]
    missing: tuple[MissingSource, ...]
    warnings: tuple[str, ...]
    recording: str
    report: str | None
