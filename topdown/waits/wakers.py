"""Waits by the place of the wait, by what ended them, and by the call chain of the waker.

The stacks of some wake-ups are recorded. A wait whose waker's stack is not gets that of the nearest
wait in time with the same place and the same waker, so that the times are those of all waits.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.waits.cascade import Segments
from topdown.waits.off_cpu_weights import NOT_WAITING
from topdown.waits.pseudo_nodes import PseudoNode
from topdown.waits.records import NO_ROW, NO_STACK, WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals
from topdown.waits.wait_targets import wait_segments

CHAIN_SHOWN = 4
NOT_RECORDED = "not recorded"
_SOURCES = {
    PseudoNode.DISK: "disk",
    PseudoNode.NETWORK: "network",
    PseudoNode.TIMER: "timer",
    PseudoNode.INTERRUPT: "interrupt",
    PseudoNode.UNKNOWN: NOT_RECORDED,
    PseudoNode.LOOPBACK: "network, sender unknown",
}
# Functions of the kernel at the leaf of any wake-up; what called them decided to wake.
_WAKING = frozenset(
    (
        "try_to_wake_up",
        "default_wake_function",
        "wake_up_process",
        "wake_up_q",
        "autoremove_wake_function",
        "ep_autoremove_wake_function",
        "ep_poll_callback",
        "pollwake",
        "wake_page_function",
        "__wake_up",
        "__wake_up_common",
        "__wake_up_common_lock",
        "__wake_up_locked_key",
        "__wake_up_sync",
        "__wake_up_sync_key",
        "hrtimer_wakeup",
    )
)
_Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class WakerShare:
    """Waits at a place that a waker ended. Chains: the innermost functions, leaf first."""

    chain: tuple[str, ...]  # of the program; empty if not recorded
    thread: str  # that waits
    waker: str  # a thread, or the source of an interrupt
    wait_ns: int
    waits: int
    waker_chain: tuple[str, ...] = ()  # empty if not recorded


@dataclass(frozen=True, slots=True)
class EndedWaits:
    """Waits and what ended them; all arrays (n_waits,), int64.

    ``interval``: row of the intervals. ``stack``: where the thread waits, or NO_STACK. ``waker``:
    node of the wait-for graph, -1 if not known. ``waker_stack``: stack of the wake-up or NO_STACK.
    ``sampled_share``: of the waits that a thread ended, those with a stack of their own.
    """

    interval: _Numbers
    stack: _Numbers
    waker: _Numbers
    waker_stack: _Numbers
    sampled_share: float | None


def ended_waits(
    records: WaitRecords,
    intervals: Intervals,
    names: StackNames,
    left_out: npt.NDArray[np.bool_],
    segments: Segments | None = None,
) -> EndedWaits:
    """Return the waits; ``left_out`` (n_threads,): threads set apart.

    ``segments``: those of the intervals, if they are known.
    """
    if segments is None:
        segments = wait_segments(records, intervals, names)
    is_wait = ~np.isin(intervals.state, NOT_WAITING)  # segments also have joined waits
    rows = np.flatnonzero(is_wait & ~left_out[intervals.thread])
    stack = np.full(len(rows), NO_STACK, np.int64)
    sampled = intervals.sample[rows] != NO_ROW
    stack[sampled] = records.switch_samples.stack[intervals.sample[rows[sampled]]]
    waker = segments.target[rows].astype(np.int64)
    own = _waker_stacks(records, intervals, names, rows)
    by_thread = (waker >= 0) & (waker < len(records.threads))
    share = float((own[by_thread] != NO_STACK).mean()) if by_thread.any() else None
    order = intervals.end_ns[rows].astype(np.int64)
    return EndedWaits(rows, stack, waker, _with_nearest(stack, waker, own, order), share)


def waker_shares(
    records: WaitRecords,
    intervals: Intervals,
    names: StackNames,
    ended: EndedWaits,
    counted: npt.NDArray[np.bool_] | None = None,
) -> list[WakerShare]:
    """Return the waits by place, waker and the waker's chain, the longest first.

    ``counted`` (n_waits,): waits that count beside their time; None: all.
    """
    thread_of = intervals.thread[ended.interval].astype(np.int64)
    keys = np.stack([ended.stack, ended.waker, thread_of, ended.waker_stack])
    unique, inverse = np.unique(keys, axis=1, return_inverse=True)
    groups, number = inverse.ravel(), unique.shape[1]
    times = np.bincount(groups, intervals.duration_ns[ended.interval], number)
    waits = np.bincount(groups, counted, number).astype(np.int64)
    sums: dict[tuple[tuple[str, ...], str, str, tuple[str, ...]], list[int]] = {}
    columns = zip(*unique.tolist(), times.tolist(), waits.tolist(), strict=True)
    for place, target, thread, woken_by, time_ns, count in columns:
        chain = names.user(place)[:CHAIN_SHOWN] or names.of(place)[:CHAIN_SHOWN]
        waker_chain = waker_functions(names, woken_by)[:CHAIN_SHOWN]
        key = (chain, records.threads[thread].name, waker_name(records, target), waker_chain)
        total = sums.setdefault(key, [0, 0])
        total[0] += int(time_ns)
        total[1] += count
    shares = [
        WakerShare(chain, thread, waker, total[0], total[1], waker_chain)
        for (chain, thread, waker, waker_chain), total in sums.items()
    ]
    return sorted(shares, key=lambda share: (-share.wait_ns, share.chain, share.waker))


def missing_waker_stacks(records: WaitRecords, ended: EndedWaits) -> str:
    """Return why no call chain of a waker is known; empty if one is, or no thread woke another."""
    if records.wake_ups is None:
        return _reason(records, "sched_waking") or "the recording has no wake-ups"
    if ended.sampled_share is None or ended.sampled_share > 0:
        return ""
    return _reason(records, "waker_stacks") or "the recording has no stacks of wake-ups"


def _reason(records: WaitRecords, name: str) -> str:
    """Return why a source is missing, and the remedy; empty if it is not listed as missing."""
    for source in records.sources:
        if source.name == name and not source.available:
            return f"{source.reason}; {source.remedy}" if source.remedy else source.reason
    return ""


def waker_name(records: WaitRecords, node: int) -> str:
    """Return the name of a node: a thread with its process, or the source of an interrupt."""
    if 0 <= node < len(records.threads):
        thread = records.threads[node]
        same = thread.name == thread.process_name or not thread.process_name
        return thread.name if same else f"{thread.name} of {thread.process_name}"
    source = node - len(records.threads)
    return _SOURCES[PseudoNode(source)] if node >= 0 else NOT_RECORDED


def waker_functions(names: StackNames, stack: int) -> tuple[str, ...]:
    """Return the functions of a waker, leaf first: the program's, else those of the kernel."""
    user = names.user(stack)
    return user or tuple(name for name in names.of(stack) if name not in _WAKING)


def _waker_stacks(
    records: WaitRecords, intervals: Intervals, names: StackNames, rows: _Numbers
) -> _Numbers:
    """Return the stack of the wake-up that ended each wait; NO_STACK if it has no functions.

    Without call chains, the kernel records the function of the wake-up itself alone.
    """
    stack = np.full(len(rows), NO_STACK, np.int64)
    wake = intervals.wake_up[rows]
    if records.wake_ups is None or not len(names):
        return stack
    has_wake_up = wake != NO_ROW
    stack[has_wake_up] = records.wake_ups.stack[wake[has_wake_up]]
    inside = (stack != NO_STACK) & (stack < len(names))
    lengths = (names.offset[1:] - names.offset[:-1]).astype(np.int64)
    stack[~inside] = NO_STACK
    stack[inside] = np.where(lengths[stack[inside]] > 1, stack[inside], NO_STACK)
    return stack


def _with_nearest(place: _Numbers, waker: _Numbers, stack: _Numbers, time_ns: _Numbers) -> _Numbers:
    """Return the stacks; a wait without one has that of the nearest wait like it, if any has."""
    result = stack.copy()
    order = np.lexsort((time_ns, waker, place))
    same = (np.diff(place[order]) == 0) & (np.diff(waker[order]) == 0)
    group = np.append(0, np.cumsum(~same)) if len(order) else np.zeros(0, np.int64)
    has = stack[order] != NO_STACK
    number = np.arange(len(order))
    before = np.maximum.accumulate(np.where(has, number, -1)) if len(order) else number
    after = np.minimum.accumulate(np.where(has, number, len(order))[::-1])[::-1]
    for places in (before, after):
        usable = (places >= 0) & (places < len(order))
        usable[usable] = group[places[usable]] == group[usable]
        places[~usable] = -1
    times = time_ns[order]
    far = np.iinfo(np.int64).max
    to_before = np.where(before >= 0, np.abs(times - times[before]), far)
    to_after = np.where(after >= 0, np.abs(times - times[after]), far)
    chosen = np.where(to_before <= to_after, before, after)
    is_chosen = chosen >= 0
    result[order[is_chosen]] = stack[order[chosen[is_chosen]]]
    return result
