"""Time of each thread by state: the intervals, corrected by what only totals show.

- User and system time of running threads by the CPU samples' leaves.
- Time in the run queue after a wake-up without wake-up records: the difference to schedstat.
- Throttled time without kernel chains: the cgroup's total, shared by time in the run queue.
- Stolen time: a CPU that the hypervisor takes away looks busy to switch records but not to
  schedstat, so it is their difference, at most the machine's steal.

The states of a thread always add up to its wall time.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.waits.blocked_calls import processes_with_sockets
from topdown.waits.records import NO_STACK, WaitRecords
from topdown.waits.schedstat import Schedstat, read_schedstat, stolen_ns
from topdown.waits.stack_names import StackNames
from topdown.waits.states import BLOCK, RUNNING_STATES, Intervals, ThreadState
from topdown.waits.wait_kinds import Evidence, WaitKinds, reading_states
from topdown.waits.windows import SOURCE, weigh_windows, whole_amounts

STATES = len(ThreadState)
# With fewer samples the shares of the process are used.
MIN_SAMPLES = 10
WAITS = (
    ThreadState.LOCK,
    ThreadState.CONDITION,
    ThreadState.DISK_READ,
    ThreadState.DISK_WRITE,
    ThreadState.NETWORK,
    ThreadState.PAGE_FAULT,
    ThreadState.SLEEP,
    ThreadState.STOPPED,
    ThreadState.OTHER,
    ThreadState.UNKNOWN,
)
Amounts = npt.NDArray[np.int64]  # (n_threads, STATES), nanoseconds

SAMPLES = "CPU samples, in proportion"
SCHEDSTAT = "schedstat"
CPU_STAT = "the cgroup's cpu.stat, by time in the run queue"
STEAL = "switch records minus schedstat, at most the machine's steal"
_LONG_SLICE_NS = 10_000_000  # the scheduler gives a process less while others wait


@dataclass(frozen=True, slots=True)
class ThreadTotals:
    """Time by thread and state.

    ``wall_ns`` (n_threads,) is the sum of a thread's states. ``run_ns`` and ``queue_ns``: by
    schedstat, None if not read; ``measured_run_ns`` and ``measured_queue_ns``: by the states
    between the same two readings. ``sources``: nanoseconds by state and text of the source.
    ``errors``: half of the width of the 95 % intervals, None if all switches were recorded.
    """

    amounts: Amounts
    run_ns: tuple[int | None, ...]
    queue_ns: tuple[int | None, ...]
    sources: Mapping[ThreadState, Mapping[str, int]]
    kernel_sampled: bool
    errors: Amounts | None = None
    measured_run_ns: tuple[int | None, ...] = ()
    measured_queue_ns: tuple[int | None, ...] = ()

    @property
    def wall_ns(self) -> npt.NDArray[np.int64]:
        """Return the time that each thread lived during the recording."""
        return np.asarray(self.amounts.sum(axis=1))


def thread_totals(
    records: WaitRecords,
    kinds: WaitKinds,
    names: StackNames,
    *,
    kernel_sampled: bool = True,
    architecture: str = "x86_64",
) -> ThreadTotals:
    """Return the time of each thread by state.

    ``kernel_sampled``: whether CPU samples include kernel code; otherwise running time is user.
    """
    intervals = kinds.intervals
    sources = _Sources(kinds)
    schedstat = read_schedstat(records)
    errors = None
    if records.limited_from_ns is None:
        amounts = summed_states(intervals, len(records.threads))
        _move_stolen(amounts, records, intervals, schedstat, sources)
        if records.wake_ups is None:
            _move_queue(amounts, intervals, schedstat, sources)
    else:
        sockets = processes_with_sockets(records, names)
        states = reading_states(records, records.readings, architecture, sockets=sockets)
        states[[not (row.syscall or row.state in "Tt") for row in records.readings]] = (
            ThreadState.UNKNOWN
        )
        weighed = weigh_windows(records, intervals, states)
        amounts, errors = whole_amounts(weighed.amounts), whole_amounts(weighed.errors)
        sources.replace_all(amounts.sum(axis=0), SOURCE)
    if not amounts[:, ThreadState.THROTTLED].any():
        _move_throttled(amounts, records, intervals, sources)
    elif records.limited_from_ns is None:
        _move_first_throttled(amounts, records, intervals, sources)
    if kernel_sampled:
        _move_system(amounts, records, names, sources)
    measured_run, measured_queue = _between_readings(records, intervals, amounts, schedstat)
    return ThreadTotals(
        amounts,
        tuple(None if value < 0 else value for value in schedstat.run_ns.tolist()),
        tuple(None if value < 0 else value for value in schedstat.queue_ns.tolist()),
        sources.amounts,
        kernel_sampled,
        errors,
        measured_run,
        measured_queue,
    )


def _between_readings(
    records: WaitRecords, intervals: Intervals, amounts: Amounts, schedstat: Schedstat
) -> tuple[tuple[int | None, ...], tuple[int | None, ...]]:
    """Return run and queue time of each thread between its readings; throttled time is queued."""
    queues = (ThreadState.RUN_QUEUE, ThreadState.THROTTLED)
    if records.limited_from_ns is not None:
        run = amounts[:, list(RUNNING_STATES)].sum(axis=1)
        queue = amounts[:, list(queues)].sum(axis=1)
    else:
        stolen = stolen_ns(records, schedstat.excess_ns(intervals))
        run = schedstat.recorded(intervals, ThreadState.USER) - stolen
        queue = sum((schedstat.ended(intervals, state) for state in queues), np.int64(0))
    has_run_time = (schedstat.run_ns >= 0).tolist()
    return tuple(  # type: ignore[return-value]
        tuple(
            value if has_run else None for value, has_run in zip(column, has_run_time, strict=True)
        )
        for column in (run.tolist(), queue.tolist())
    )


class _Sources:
    """Nanoseconds by state and source."""

    def __init__(self, kinds: WaitKinds) -> None:
        size = STATES * 256
        sums, counts = np.zeros(size), np.zeros(size, np.int64)
        for number, block in enumerate(kinds.intervals.blocks()):
            evidence = kinds.evidence[number * BLOCK : (number + 1) * BLOCK]
            keys = block.state.astype(np.int64) * 256 + evidence
            sums += np.bincount(keys, block.duration_ns, minlength=size)
            counts += np.bincount(keys, minlength=size)
        self.amounts: dict[ThreadState, dict[str, int]] = {}
        for key in np.flatnonzero(counts).tolist():
            state, source = ThreadState(key >> 8), Evidence(key & 255)
            self.amounts.setdefault(state, {})[source.text] = round(sums[key])

    def replace_all(self, amounts: npt.NDArray[np.int64], source: str) -> None:
        """Set the amounts of the states, all of which have the same source."""
        self.amounts = {
            ThreadState(state): {source: amount}
            for state, amount in enumerate(amounts.tolist())
            if amount
        }

    def move(self, before: ThreadState, after: ThreadState, amount: int, source: str) -> None:
        """Move an amount to another state, whose source differs."""
        if amount <= 0:
            return
        of_before = self.amounts.get(before, {})
        for text in list(of_before):
            part = min(amount, of_before[text])
            of_before[text] -= part
            if not of_before[text]:
                del of_before[text]
            moved = self.amounts.setdefault(after, {})
            moved[source] = moved.get(source, 0) + part
            amount -= part


def summed_states(intervals: Intervals, threads: int) -> Amounts:
    """Return the sums of the intervals by thread and state."""
    sums = np.zeros(threads * STATES)
    for block in intervals.blocks():
        keys = block.thread.astype(np.int64) * STATES + block.state
        sums += np.bincount(keys, block.duration_ns, minlength=len(sums))
    return np.rint(sums).astype(np.int64).reshape(threads, STATES)


def _move(
    amounts: Amounts,
    change: npt.NDArray[np.int64],
    before: ThreadState,
    after: ThreadState,
) -> npt.NDArray[np.int64]:
    """Move an amount of each thread between states, at most what it has; return the amounts."""
    limited = np.clip(change, 0, amounts[:, before])
    amounts[:, before] -= limited
    amounts[:, after] += limited
    return limited


def _move_stolen(
    amounts: Amounts,
    records: WaitRecords,
    intervals: Intervals,
    schedstat: Schedstat,
    sources: _Sources,
) -> None:
    """Move running time that schedstat does not have to stolen time, if the machine had steal."""
    stolen = stolen_ns(records, schedstat.excess_ns(intervals))
    moved = _move(amounts, stolen, ThreadState.USER, ThreadState.STOLEN)
    sources.move(ThreadState.USER, ThreadState.STOLEN, int(moved.sum()), STEAL)


def _counts(amounts: Amounts, intervals: Intervals) -> npt.NDArray[np.int64]:
    """Return the number of intervals of each thread by state."""
    counts = np.zeros(amounts.size, np.int64)
    for block in intervals.blocks():
        keys = block.thread.astype(np.int64) * STATES + block.state
        counts += np.bincount(keys, minlength=amounts.size)
    return counts.reshape(amounts.shape)


def _move_queue(
    amounts: Amounts, intervals: Intervals, schedstat: Schedstat, sources: _Sources
) -> None:
    """Move time in the run queue after wake-ups out of the waits, by number of waits."""
    recorded = schedstat.recorded(intervals, ThreadState.RUN_QUEUE)
    recorded += schedstat.recorded(intervals, ThreadState.THROTTLED)
    missing = np.where(schedstat.queue_ns >= 0, schedstat.queue_ns - recorded, 0)
    counts = _counts(amounts, intervals)
    waits = counts[:, list(WAITS)].sum(axis=1)
    for state in WAITS:
        share = np.divide(counts[:, state], waits, out=np.zeros(len(waits)), where=waits > 0)
        part = np.rint(np.maximum(missing, 0) * share).astype(np.int64)
        moved = _move(amounts, part, state, ThreadState.RUN_QUEUE)
        sources.move(state, ThreadState.RUN_QUEUE, int(moved.sum()), SCHEDSTAT)


def _move_throttled(
    amounts: Amounts, records: WaitRecords, intervals: Intervals, sources: _Sources
) -> None:
    """Move a cgroup's throttled time out of the run queue of its threads, in proportion.

    cpu.stat has the time of a throttling after its end. So if all threads that can run wait at the
    end of the recording, their time in the run queue until then is throttled, too.
    """
    for members, throttled_ns in _throttled_members(records):
        unfinished = np.zeros(len(amounts), np.int64)
        if records.limited_from_ns is None:
            queued, unfinished_ns = _queued_at_edge(intervals, members, at_end=True)
            unfinished[queued] = unfinished_ns
        queue = np.maximum(amounts[members, ThreadState.RUN_QUEUE] - unfinished[members], 0)
        share = min(1.0, throttled_ns / max(int(queue.sum()), 1))
        change = np.zeros(len(amounts), np.int64)
        change[members] = (queue * share).astype(np.int64) + unfinished[members]
        moved = _move(amounts, change, ThreadState.RUN_QUEUE, ThreadState.THROTTLED)
        sources.move(ThreadState.RUN_QUEUE, ThreadState.THROTTLED, int(moved.sum()), CPU_STAT)


def _move_first_throttled(
    amounts: Amounts, records: WaitRecords, intervals: Intervals, sources: _Sources
) -> None:
    """Move the time of throttlings that began before the recording, which have no call chain.

    cpu.stat has the whole time of a throttling after its end, so a longer wait has another cause.
    """
    for members, throttled_ns in _throttled_members(records):
        queued, duration_ns = _queued_at_edge(intervals, members, at_end=False)
        if duration_ns > throttled_ns:
            continue
        change = np.zeros(len(amounts), np.int64)
        change[queued] = duration_ns
        moved = _move(amounts, change, ThreadState.RUN_QUEUE, ThreadState.THROTTLED)
        sources.move(ThreadState.RUN_QUEUE, ThreadState.THROTTLED, int(moved.sum()), CPU_STAT)


def _throttled_members(records: WaitRecords) -> Iterator[tuple[list[int], int]]:
    """Yield the threads of each cgroup that was throttled, and for how long it was."""
    cgroup_of = {reading.thread: reading.cgroup for reading in records.readings if reading.cgroup}
    for row in records.throttled:
        members = [thread for thread, cgroup in cgroup_of.items() if cgroup == row.cgroup]
        if row.throttled_ns and members:
            yield members, row.throttled_ns


def _queued_at_edge(
    intervals: Intervals, members: list[int], *, at_end: bool
) -> tuple[list[int], int]:
    """Return the threads in the run queue at the begin or end, and for how long all of them are.

    No thread if one of them runs then, or if a time slice of another process explains the wait.
    """
    edge_ns = intervals.end_ns.max(initial=0) if at_end else intervals.begin_ns.min(initial=2**63)
    queued, durations_ns = [], []
    for block in intervals.blocks():
        edges = block.end_ns if at_end else block.begin_ns
        for index in np.flatnonzero((edges == edge_ns) & np.isin(block.thread, members)).tolist():
            if block.state[index] == ThreadState.USER:
                return [], 0
            if block.state[index] == ThreadState.RUN_QUEUE:
                queued.append(int(block.thread[index]))
                durations_ns.append(int(block.end_ns[index] - block.begin_ns[index]))
    duration_ns = min(durations_ns, default=0)
    return (queued, duration_ns) if duration_ns > _LONG_SLICE_NS else ([], 0)


def _move_system(
    amounts: Amounts, records: WaitRecords, names: StackNames, sources: _Sources
) -> None:
    """Divide running time into user and system time, in proportion to CPU samples."""
    samples = records.cpu_samples
    count = len(records.threads)
    has_stack = samples.stack != NO_STACK
    weight = np.where(samples.period_ns > 0, samples.period_ns, 1).astype(np.float64)
    in_kernel = np.zeros(len(samples.stack), np.bool_)
    in_kernel[has_stack] = names.kernel_leaf[samples.stack[has_stack]]
    processes = np.unique([thread.pid for thread in records.threads], return_inverse=True)[1]
    share = np.zeros(count)
    decided = np.zeros(count, np.bool_)
    everything = np.zeros(count, np.int64)
    for least, group in ((MIN_SAMPLES, np.arange(count)), (1, processes), (1, everything)):
        group_of = group[samples.thread]
        size = count + 1
        number = np.bincount(group_of, minlength=size)
        total = np.bincount(group_of, weight, minlength=size)
        kernel = np.bincount(group_of, weight * in_kernel, minlength=size)
        usable = ~decided & (number[group] >= least) & (total[group] > 0)
        share[usable] = (kernel[group] / np.maximum(total[group], 1e-9))[usable]
        decided |= usable
    change = np.rint(amounts[:, ThreadState.USER] * share).astype(np.int64)
    moved = _move(amounts, change, ThreadState.USER, ThreadState.SYSTEM)
    running = int(amounts[:, ThreadState.USER].sum() + moved.sum())
    if decided.any() and running:
        sources.amounts[ThreadState.USER] = {SAMPLES: running - int(moved.sum())}
        if moved.any():
            sources.amounts[ThreadState.SYSTEM] = {SAMPLES: int(moved.sum())}
