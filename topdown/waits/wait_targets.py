"""The segments of the wait-for graph: for each wait, the thread or device that ends it.

A wake-up of a thread names its waker. In a soft interrupt, the thread that ran is the true waker
only if the kernel call chain shows that it was sending: packets over loopback wake the receiver in
a soft interrupt of the sender. Otherwise the chain shows a disk, a network card, a timer, or a
packet over loopback whose delivery was deferred; see `topdown/waits/packet_senders.py`.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from topdown.waits.cascade import Segments
from topdown.waits.packet_flows import flow_waits
from topdown.waits.packet_senders import UNKNOWN_SENDER, inferred_senders
from topdown.waits.pseudo_nodes import NODE_NAMES, PseudoNode
from topdown.waits.records import (
    NO_ROW,
    NO_STACK,
    NO_THREAD,
    WaitRecords,
    WakeContext,
    WakeUps,
)
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals, ThreadState
from topdown.waits.wait_chains import Activity

# Functions of the kernel in the call chain of a wake-up, per source; the first match counts.
SENDING = frozenset(
    (
        "__tcp_push_pending_frames",
        "tcp_write_xmit",
        "tcp_push",
        "tcp_sendmsg",
        "udp_sendmsg",
        "udpv6_sendmsg",
        "loopback_xmit",
        "unix_stream_sendmsg",
        "sock_sendmsg",
        "__sock_sendmsg",
        "tcp_recvmsg",
        "tcp_close",
        "__x64_sys_sendto",
        "__arm64_sys_sendto",
        "ksys_write",
        "do_writev",
        "__sys_sendmsg",
    )
)
DISK_DONE = frozenset(
    (
        "blk_done_softirq",
        "blk_complete_reqs",
        "blk_mq_complete_request",
        "blk_update_request",
        "bio_endio",
        "blk_mq_end_request",
        "nvme_irq",
        "virtblk_done",
    )
)
TIMER_FIRED = frozenset(
    (
        "hrtimer_wakeup",
        "hrtimer_interrupt",
        "__hrtimer_run_queues",
        "run_timer_softirq",
        "call_timer_fn",
        "process_timeout",
        "timerfd_tmrproc",
        "hrtimer_run_softirq",
        "posix_timer_fn",
    )
)
PACKET_RECEIVED = frozenset(
    (
        "net_rx_action",
        "napi_poll",
        "__napi_poll",
        "process_backlog",
        "tcp_v4_rcv",
    )
)
# The queue of packets that this machine sent, or that another CPU received.
QUEUED_PACKET = frozenset(("process_backlog",))
# A thread that runs for longer between two equal waits did some work.
LONGEST_FALSE_WAKE_UP_NS = 100_000
# Smaller first arguments are descriptors (vm.mmap_min_addr).
LOWEST_ADDRESS = 1 << 16

RUNS = (ThreadState.USER, ThreadState.SYSTEM)
QUEUES = (ThreadState.RUN_QUEUE, ThreadState.THROTTLED, ThreadState.STOLEN)
_Integers = npt.NDArray[np.int64]
_Flags = npt.NDArray[np.bool_]


def node_names(thread_names: Sequence[str]) -> list[str]:
    """Return the names of all nodes."""
    return [*thread_names, *(NODE_NAMES[node] for node in PseudoNode)]


def wait_segments(
    records: WaitRecords, intervals: Intervals, names: StackNames | None = None
) -> Segments:
    """Return the segments of all threads with intervals; false wake-ups are joined."""
    threads = len(records.threads)
    activity = np.full(len(ThreadState), Activity.WAIT, np.uint8)
    activity[list(RUNS)] = Activity.RUN
    activity[list(QUEUES)] = Activity.QUEUE
    activity[ThreadState.UNKNOWN] = Activity.UNKNOWN
    kind = activity[intervals.state]
    has_wake_up = intervals.wake_up != NO_ROW
    kind[(kind == Activity.UNKNOWN) & has_wake_up] = Activity.WAIT
    waits = kind == Activity.WAIT
    target = np.full(len(kind), -1, np.int32)
    rows = np.flatnonzero(waits)
    target[rows] = _targets(records, intervals, names, rows)
    confidence = _infer_senders(records, intervals, names, rows, target)
    segments = Segments(
        thread=intervals.thread,
        begin_ns=intervals.begin_ns,
        end_ns=intervals.end_ns,
        activity=kind,
        target=target,
        threads=threads,
        nodes=threads + len(PseudoNode),
        confidence=confidence,
    )
    if records.wake_ups is not None:
        _join_false_wake_ups(segments, records, intervals, records.wake_ups)
    return segments


def _targets(
    records: WaitRecords, intervals: Intervals, names: StackNames | None, waits: _Integers
) -> _Integers:
    """Return the node that each of the ``waits``, rows of the intervals, waits for."""
    first = len(records.threads)
    state = intervals.state[waits]
    by_state = np.full(len(ThreadState), first + PseudoNode.UNKNOWN, np.int64)
    by_state[ThreadState.DISK_READ] = first + PseudoNode.DISK
    by_state[ThreadState.DISK_WRITE] = first + PseudoNode.DISK
    by_state[ThreadState.PAGE_FAULT] = first + PseudoNode.DISK
    by_state[ThreadState.NETWORK] = first + PseudoNode.NETWORK
    by_state[ThreadState.SLEEP] = first + PseudoNode.TIMER
    target = by_state[state]
    decided = np.isin(state, (ThreadState.DISK_READ, ThreadState.DISK_WRITE, ThreadState.SLEEP))
    row = intervals.wake_up[waits]
    woken = (row != NO_ROW) & ~decided
    if records.wake_ups is not None and woken.any():
        wakers = _wakers(records.wake_ups, names, first)[row[woken]]
        own = wakers == intervals.thread[waits][woken]
        target[woken] = np.where(own, first + PseudoNode.UNKNOWN, wakers)
    locks = np.flatnonzero((state == ThreadState.LOCK) & ~woken)
    if len(locks) and records.owners:
        target[locks] = _owners(records, intervals, waits[locks], target[locks])
    return target


def _wakers(wake_ups: WakeUps, names: StackNames | None, first: int) -> _Integers:
    """Return the node that issued each wake-up."""
    waker = np.where(
        wake_ups.waker == NO_THREAD, first + PseudoNode.UNKNOWN, wake_ups.waker.astype(np.int64)
    )
    hard = wake_ups.context == WakeContext.HARD_INTERRUPT
    soft = wake_ups.context == WakeContext.SOFT_INTERRUPT
    has = _StackTests(wake_ups, names)
    sender = has(SENDING) & (wake_ups.waker != NO_THREAD)
    interrupt = np.select(
        [has(DISK_DONE), has(TIMER_FIRED), has(QUEUED_PACKET), has(PACKET_RECEIVED), hard],
        [
            PseudoNode.DISK,
            PseudoNode.TIMER,
            PseudoNode.LOOPBACK,
            PseudoNode.NETWORK,
            PseudoNode.TIMER,
        ],
        PseudoNode.INTERRUPT,
    )
    return np.where(hard | (soft & ~sender), first + interrupt, waker)


def _infer_senders(
    records: WaitRecords,
    intervals: Intervals,
    names: StackNames | None,
    rows: _Integers,
    target: npt.NDArray[np.int32],
) -> npt.NDArray[np.float32] | None:
    """Set inferred senders in ``target`` (n_intervals,), of the waits in ``rows``.

    Returns the confidence in each target; None if every target is recorded.
    """
    if records.wake_ups is None or names is None or not len(names) or not len(rows):
        return None
    nodes = target[rows].astype(np.int64)
    chosen, waits = flow_waits(records, intervals, names, rows, nodes)
    if not (waits.open.any() or (waits.cpu >= 0).any()):
        return None
    sender, confidence = inferred_senders(records, waits)
    result = np.ones(len(target), np.float32)
    known = sender != UNKNOWN_SENDER
    target[chosen[known]] = sender[known]
    shown = known | (waits.cpu >= 0)
    result[chosen[shown]] = confidence[shown]
    return result


class _StackTests:
    """Returns, per wake-up, whether its kernel call chain has one of some functions."""

    def __init__(self, wake_ups: WakeUps, names: StackNames | None) -> None:
        self._names = names
        self._stack = wake_ups.stack

    def __call__(self, functions: frozenset[str]) -> _Flags:
        if self._names is None or not len(self._names):
            return np.zeros(len(self._stack), np.bool_)
        matching = np.append(self._names.containing(functions, kernel=True), False)
        missing = (self._stack == NO_STACK) | (self._stack >= len(self._names))
        return matching[np.where(missing, len(self._names), self._stack)]


def _owners(
    records: WaitRecords, intervals: Intervals, rows: _Integers, unknown: _Integers
) -> _Integers:
    """Return the owners that were read during lock waits without a recorded wake-up."""
    thread_of = {(thread.pid, thread.tid): number for number, thread in enumerate(records.threads)}
    target = unknown.copy()
    span = int(records.end_ns) + 1
    key = intervals.thread[rows].astype(np.int64) * span + intervals.begin_ns[rows].astype(np.int64)
    for reading in records.owners:
        if reading.owner_tid is None:
            continue
        position = int(np.searchsorted(key, reading.waiter * span + reading.at_ns, "right")) - 1
        if position < 0 or intervals.thread[rows[position]] != reading.waiter:
            continue
        pid = records.threads[reading.waiter].pid
        owner = thread_of.get((pid, reading.owner_tid))
        if reading.at_ns <= intervals.end_ns[rows[position]] and owner is not None:
            target[position] = owner
    return target


def _join_false_wake_ups(
    segments: Segments, records: WaitRecords, intervals: Intervals, wake_ups: WakeUps
) -> None:
    """Join a wait with the next one if the thread went back to the same wait at once.

    The same instruction, stack pointer and futex, and no wake-up issued between: the thread was
    woken in vain, and what it waits for is what ends the last wait. Only for futexes: an event loop
    also waits at the same place again, but it handled a request, and wake-ups of threads outside
    the target are not recorded.
    """
    rows = np.flatnonzero((segments.activity == Activity.WAIT) & (intervals.sample != NO_ROW))
    all_waits = np.flatnonzero(segments.activity == Activity.WAIT)
    if len(rows) < 2:
        return
    this, following = rows[:-1], rows[1:]
    samples = records.switch_samples
    register_row = samples.register_row[intervals.sample[rows]]
    same = (segments.thread[this] == segments.thread[following]) & (
        np.searchsorted(all_waits, following) - np.searchsorted(all_waits, this) == 1
    )
    same &= (register_row[:-1] != NO_ROW) & (register_row[1:] != NO_ROW)
    pause = segments.begin_ns[following].astype(np.int64) - segments.end_ns[this].astype(np.int64)
    same &= pause <= LONGEST_FALSE_WAKE_UP_NS
    same &= np.isin(intervals.state[this], (ThreadState.LOCK, ThreadState.CONDITION))
    candidates = np.flatnonzero(same)
    if not len(candidates):
        return
    columns = samples.registers[:, [0, 1, 3]]  # ip, sp, argument0
    equal = columns[register_row[candidates]] == columns[register_row[candidates + 1]]
    is_address = columns[register_row[candidates], 2] >= LOWEST_ADDRESS
    candidates = candidates[equal.all(axis=1) & is_address]
    issued = _wakes_issued(
        wake_ups,
        segments.thread[this[candidates]].astype(np.int64),
        segments.end_ns[this[candidates]].astype(np.int64),
        segments.begin_ns[following[candidates]].astype(np.int64),
    )
    joined = np.zeros(len(rows), np.bool_)
    joined[candidates[issued == 0]] = True
    # The last wait of each run of joined waits has the target of all.
    group = np.cumsum(np.append(True, ~joined[:-1])) - 1
    last = np.append(np.flatnonzero(np.diff(group)), len(rows) - 1)
    segments.target[rows] = segments.target[rows[last[group]]]
    position = np.searchsorted(rows, np.arange(len(segments.activity)), "right") - 1
    between = (position >= 0) & joined[np.maximum(position, 0)]
    segments.target[between] = segments.target[rows[position[between]]]
    segments.activity[between] = Activity.WAIT


def _wakes_issued(
    wake_ups: WakeUps, thread: _Integers, begin: _Integers, end: _Integers
) -> _Integers:
    """Return the number of wake-ups that each thread issued from ``begin`` to ``end``."""
    by_task = wake_ups.waker != NO_THREAD
    time = wake_ups.time_ns[by_task].astype(np.int64)
    span = int(max(time.max(initial=0), end.max(initial=0))) + 1
    key = np.sort(wake_ups.waker[by_task].astype(np.int64) * span + time)
    low = np.searchsorted(key, thread * span + begin, "left")
    return np.searchsorted(key, thread * span + end, "right") - low
