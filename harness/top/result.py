"""The document of `stallscope top --json`: one snapshot of a process or the machine."""

from stallscope.documents import Amount, Count, Document, Record, Share


class Missing(Record, frozen=True, kw_only=True):
    """A part that this machine or this user cannot measure, and why."""

    part: str
    reason: str


class WaitShare(Record, frozen=True, kw_only=True):
    """Share of the wall time of the threads, or of the CPUs if no process is given.

    ``source``: "measured" by a counter of the kernel, or "sampled": seen at a few instants.
    """

    category: str
    share: Share
    source: str


class RunQueue(Record, frozen=True, kw_only=True):
    """Threads of the machine that run or could run, and stall time of CPU, disk and memory."""

    running: Count | None
    cpus: Count
    cpu_pressure: Share | None
    io_pressure: Share | None
    memory_pressure: Share | None


class IdleShare(Record, frozen=True, kw_only=True):
    """Residency of a sleep state: share of the time of the CPUs that were read."""

    state: str
    share: Share | None


class DiskRow(Record, frozen=True, kw_only=True):
    """One disk; a latency is None if no request ended."""

    name: str
    reads_per_s: Amount
    writes_per_s: Amount
    read_latency_ms: Amount | None
    write_latency_ms: Amount | None
    busy_share: Share


class FunctionShare(Record, frozen=True, kw_only=True):
    """A function and its share of the samples of the last short recording."""

    name: str
    binary: str
    share: Share


class TopResult(Document, frozen=True, kw_only=True, tag="stallscope.top/1"):
    """What limits a process, or the machine, during ``seconds``; ``missing``: what is not here.

    ``threads_read`` of ``threads`` were read: more would cost too much. ``cpu_share``: CPU time of
    the view and its recordings since it began, as a share of one CPU.
    """

    pid: Count | None
    process: str | None
    seconds: Amount
    verdict: str
    threads: Count | None
    threads_read: Count | None
    waits: tuple[WaitShare, ...]
    run_queue: RunQueue
    idle: tuple[IdleShare, ...]
    disks: tuple[DiskRow, ...]
    functions: tuple[FunctionShare, ...]
    missing: tuple[Missing, ...]
    cpu_share: Share
