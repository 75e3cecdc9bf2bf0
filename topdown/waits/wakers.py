"""Time of waits by the place of the wait and by who ended it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.waits.off_cpu_weights import NOT_WAITING
from topdown.waits.records import NO_ROW, NO_STACK, WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals
from topdown.waits.wait_targets import PseudoNode, wait_segments

CHAIN_SHOWN = 4
_SOURCES = {
    PseudoNode.DISK: "disk",
    PseudoNode.NETWORK: "network",
    PseudoNode.TIMER: "timer",
    PseudoNode.INTERRUPT: "interrupt",
    PseudoNode.UNKNOWN: "not recorded",
}


@dataclass(frozen=True, slots=True)
class WakerShare:
    """Waits at a place that a waker ended. ``chain``: the innermost functions, leaf first."""

    chain: tuple[str, ...]  # of the program; empty if not recorded
    thread: str  # that waits
    waker: str  # a thread, or the source of an interrupt
    wait_ns: int
    waits: int


def waker_shares(
    records: WaitRecords,
    intervals: Intervals,
    names: StackNames,
    left_out: npt.NDArray[np.bool_],
) -> list[WakerShare]:
    """Return the shares, the longest first; ``left_out`` (n_threads,): threads set apart."""
    segments = wait_segments(records, intervals, names)
    is_wait = ~np.isin(intervals.state, NOT_WAITING)  # segments also have joined waits
    rows = np.flatnonzero(is_wait & ~left_out[intervals.thread])
    stack = np.full(len(rows), NO_STACK, np.int64)
    sampled = intervals.sample[rows] != NO_ROW
    stack[sampled] = records.switch_samples.stack[intervals.sample[rows[sampled]]]
    keys = np.stack([stack, segments.target[rows], intervals.thread[rows].astype(np.int64)])
    unique, inverse, waits = np.unique(keys, axis=1, return_inverse=True, return_counts=True)
    times = np.bincount(inverse.ravel(), intervals.duration_ns[rows], unique.shape[1])
    sums: dict[tuple[tuple[str, ...], str, str], list[int]] = {}
    columns = zip(*unique.tolist(), times.tolist(), waits.tolist(), strict=True)
    for place, target, thread, time_ns, count in columns:
        chain = names.user(place)[:CHAIN_SHOWN] or names.of(place)[:CHAIN_SHOWN]
        key = (chain, records.threads[thread].name, _waker(records, target))
        total = sums.setdefault(key, [0, 0])
        total[0] += int(time_ns)
        total[1] += count
    shares = [WakerShare(*key, *total) for key, total in sums.items()]
    return sorted(shares, key=lambda share: (-share.wait_ns, share.chain, share.waker))


def _waker(records: WaitRecords, node: int) -> str:
    if 0 <= node < len(records.threads):
        thread = records.threads[node]
        same = thread.name == thread.process_name or not thread.process_name
        return thread.name if same else f"{thread.name} of {thread.process_name}"
    return (
        _SOURCES.get(PseudoNode(node - len(records.threads)), "") if node >= 0 else "not recorded"
    )
