"""Places in the program where requests of both classes spend time: call chains per state.

The time of a state that slow requests have more is followed from the outermost function inwards, as
long as one callee has most of it. The innermost such function names the place.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.requests.span_states import Coverage
from topdown.waits.futex import lock_functions
from topdown.waits.records import NO_ROW, NO_STACK, WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals, ThreadState

MOST = 0.75  # of the difference: the share with which a callee is followed
CHAIN_SHOWN = 4
MAX_STACKS, MAX_FRAMES = 20, 64
WAITING = tuple(
    state
    for state in ThreadState
    if state not in (ThreadState.USER, ThreadState.SYSTEM, ThreadState.RUN_QUEUE)
)


@dataclass(frozen=True, slots=True)
class StackTimes:
    """Mean time per request of each class by stack, in nanoseconds; stacks are unique."""

    stack: npt.NDArray[np.uint32]
    slow_ns: npt.NDArray[np.float64]
    median_ns: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Place:
    """A place with the mean time per request that both classes spend there.

    ``chain``: functions of the program, leaf first; empty if no call chain was recorded.
    """

    chain: tuple[str, ...]
    slow_ns: float
    median_ns: float


@dataclass(frozen=True, slots=True)
class ClassCoverage:
    """The coverage by the requests of a class, and their number."""

    coverage: Coverage
    count: int


def wait_times(
    records: WaitRecords,
    intervals: Intervals,
    state: ThreadState,
    slow: ClassCoverage,
    median: ClassCoverage,
) -> StackTimes:
    """Return the times of a waiting state by the stack with which the threads left the CPU."""
    rows = np.flatnonzero(intervals.state == state)
    stack = np.full(len(rows), NO_STACK, np.uint32)
    sampled = intervals.sample[rows] != NO_ROW
    stack[sampled] = records.switch_samples.stack[intervals.sample[rows[sampled]]]
    spans = (intervals.thread[rows], intervals.begin_ns[rows], intervals.end_ns[rows])
    return _by_stack(
        stack, slow.coverage.during(*spans), median.coverage.during(*spans), slow, median
    )


def run_times(records: WaitRecords, slow: ClassCoverage, median: ClassCoverage) -> StackTimes:
    """Return the sampled CPU time by stack."""
    samples = records.cpu_samples
    period = np.where(samples.period_ns > 0, samples.period_ns, 0).astype(np.int64)
    times = [
        members.coverage.at(samples.thread, samples.time_ns) * period for members in (slow, median)
    ]
    return _by_stack(samples.stack, times[0], times[1], slow, median)


def _by_stack(
    stack: npt.NDArray[np.uint32],
    slow_ns: npt.NDArray[np.int64],
    median_ns: npt.NDArray[np.int64],
    slow: ClassCoverage,
    median: ClassCoverage,
) -> StackTimes:
    covered = (slow_ns > 0) | (median_ns > 0)
    unique, inverse = np.unique(stack[covered], return_inverse=True)
    inverse = inverse.reshape(-1)
    size = len(unique)
    return StackTimes(
        unique,
        np.bincount(inverse, slow_ns[covered], size) / max(1, slow.count),
        np.bincount(inverse, median_ns[covered], size) / max(1, median.count),
    )


def main_place(times: StackTimes, names: StackNames) -> Place:
    """Return the place with most of what slow requests have more."""
    chains = [
        (_outermost_first(names.user(stack) or names.of(stack)), slow_ns, median_ns)
        for stack, slow_ns, median_ns in zip(
            times.stack.tolist(), times.slow_ns.tolist(), times.median_ns.tolist(), strict=True
        )
        if stack != NO_STACK
    ]
    total = float(times.slow_ns.sum() - times.median_ns.sum())
    path: list[str] = []
    sums = (float(times.slow_ns.sum()), float(times.median_ns.sum()))
    while chains and total > 0:
        callee = _largest(chains, len(path))
        if callee is None:
            break
        below = [
            chain for chain in chains if len(chain[0]) > len(path) and chain[0][len(path)] == callee
        ]
        slow_ns, median_ns = _sums(below)
        if slow_ns - median_ns < MOST * total:
            break
        path.append(callee)
        chains, sums = below, (slow_ns, median_ns)
    return Place(tuple(reversed(path))[:CHAIN_SHOWN], *sums)


_Chains = list[tuple[tuple[str, ...], float, float]]


def _outermost_first(frames: tuple[str, ...]) -> tuple[str, ...]:
    """Return the frames without the implementation of locks at the leaf."""
    inner = next((n for n, name in enumerate(frames) if name and not lock_functions(name)), 0)
    return tuple(reversed([name for name in frames[inner:] if name]))


def _largest(chains: _Chains, depth: int) -> str | None:
    differences: dict[str, float] = {}
    for frames, slow_ns, median_ns in chains:
        if len(frames) > depth:
            name = frames[depth]
            differences[name] = differences.get(name, 0.0) + slow_ns - median_ns
    return max(differences, key=lambda name: differences[name], default=None)


def _sums(chains: Iterable[tuple[tuple[str, ...], float, float]]) -> tuple[float, float]:
    rows = list(chains)
    return sum(row[1] for row in rows), sum(row[2] for row in rows)


@dataclass(frozen=True, slots=True)
class StackDifference:
    """A call chain of the program, leaf first, with the mean time per request in a state."""

    state: str
    chain: tuple[str, ...]
    slow_ns: float
    median_ns: float


def stack_differences(
    records: WaitRecords,
    intervals: Intervals,
    names: StackNames,
    slow: ClassCoverage,
    median: ClassCoverage,
) -> list[StackDifference]:
    """Return the call chains with most additional time of slow requests, on and off the CPU."""
    sums: dict[tuple[str, tuple[str, ...]], list[float]] = {}
    parts = [("running", run_times(records, slow, median))]
    parts += [(state.key, wait_times(records, intervals, state, slow, median)) for state in WAITING]
    for state, times in parts:
        rows = zip(
            times.stack.tolist(), times.slow_ns.tolist(), times.median_ns.tolist(), strict=True
        )
        for stack, slow_ns, median_ns in rows:
            chain = names.of(stack)[:MAX_FRAMES]
            total = sums.setdefault((state, chain), [0.0, 0.0])
            total[0] += slow_ns
            total[1] += median_ns
    stacks = [StackDifference(*key, *total) for key, total in sums.items() if key[1]]
    stacks.sort(key=lambda row: row.median_ns - row.slow_ns)
    return [row for row in stacks[:MAX_STACKS] if row.slow_ns > row.median_ns]
