"""Cascaded redistribution: a wait is passed on to what its cause did meanwhile.

After wPerf (Zhou, Gan, Ma and Wang, OSDI 2018). A wait [a, b] of thread T for W adds b - a to the
edge from T to W. Each wait of W within [a, b], cut to it, is treated likewise. So edges do not add
up. Leaf blame does: the time of a wait goes to the end of its chain, where a thread runs, waits for
a CPU, or something waits that is not a thread. The sum of the blame is the sum of the waits.

All waits are followed together, one step of their chains per pass, as step functions of time that
count the waits passing through a thread. A pass costs a sort. Waits with the same chain of groups
are merged, so the number of pieces is bounded by the number of intervals, not by its product with
the number of waiting threads. Of more than MAX_WAITS waits, random periods are followed, one in
each of SAMPLED_PERIODS equal parts, and the result is scaled.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.waits.records import Codes, Indices, Times
from topdown.waits.states import BLOCK
from topdown.waits.wait_chains import Activity, Cascade, Leaf

MAX_STEPS = 512
MAX_CHAINS = 20_000
WINDOW_WAITS = 250_000
MAX_WAITS = 1_500_000
SAMPLED_PERIODS = 60
KEY_LIMIT = 2**62
_Integers = npt.NDArray[np.int64]
_Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Segments:
    """Activities of threads, sorted by thread, then by time, without overlaps.

    ``target``: the node of a wait, -1 for other activities. Nodes below ``threads`` are threads.
    ``confidence``: in the target; None: 1 for all.
    """

    thread: Indices
    begin_ns: Times
    end_ns: Times
    activity: Codes
    target: npt.NDArray[np.int32]
    threads: int
    nodes: int
    confidence: npt.NDArray[np.float32] | None = None


def cascade(
    segments: Segments,
    *,
    origins: _Flags | None = None,
    groups: Sequence[int] | npt.NDArray[np.int64] | None = None,
) -> Cascade:
    """Return edges and blame of the waits of ``origins`` (n_threads,; default: all threads).

    ``groups``: the group of each node; by default a node is a group.
    """
    group = np.arange(segments.nodes) if groups is None else np.asarray(groups, np.int64)
    chosen = np.ones(segments.threads, np.bool_) if origins is None else origins
    windows, parts, total_ns = _waits_to_follow(segments, chosen)
    flow = _Flow(segments, group, windows)
    followed_ns = 0
    for rows, first, last in parts:
        followed_ns += int((last - first).sum())
        flow.follow(rows, first, last)
    return flow.result(followed_ns / total_ns if total_ns else 1.0)


def _waits_to_follow(
    segments: Segments, origins: _Flags
) -> tuple[list[tuple[int, int]], list[tuple[_Integers, _Integers, _Integers]], int]:
    """Return windows, rows, begins and ends of the waits in each, and the time of all waits.

    The arrays of all waits are released before the waits are followed.
    """
    waits = np.flatnonzero((segments.activity == Activity.WAIT) & origins[segments.thread])
    if len(segments.thread) <= np.iinfo(np.int32).max:
        waits = waits.astype(np.int32)
    starts, stops = segments.begin_ns.view(np.int64), segments.end_ns.view(np.int64)
    begin = starts[waits]
    begin.sort()
    windows = _windows(begin, int(stops[waits].max(initial=0)))
    total_ns = -int(begin.sum())
    del begin
    lists: list[list[_Integers]] = [[] for _ in windows]
    for start in range(0, len(waits), BLOCK):
        rows = waits[start : start + BLOCK]
        begin, end = starts[rows], stops[rows]
        total_ns += int(end.sum())
        for (low, high), chosen in zip(windows, lists, strict=True):
            chosen.append(rows[(begin < high) & (end > low)].astype(np.int64))
    parts = []
    for (low, high), chosen in zip(windows, lists, strict=True):
        rows = np.concatenate(chosen)
        rows = rows[np.argsort(starts[rows], kind="stable")]
        parts.append((rows, np.maximum(starts[rows], low), np.minimum(stops[rows], high)))
    return windows, parts, total_ns


def _windows(begin: _Integers, end_ns: int) -> list[tuple[int, int]]:
    """Return the periods to follow, each with the begins of at most WINDOW_WAITS waits.

    ``begin``: of all waits, sorted; ``end_ns``: the last end.
    """
    count = len(begin)
    if not count:
        return []
    if count <= MAX_WAITS:
        limits = [int(time) for time in begin[::WINDOW_WAITS]] + [end_ns]
        return [(low, high) for low, high in itertools.pairwise(limits) if high > low]
    # A fixed seed: the same recording gives the same result.
    random = np.random.default_rng(1)
    part, length = count // SAMPLED_PERIODS, MAX_WAITS // SAMPLED_PERIODS
    starts = np.arange(SAMPLED_PERIODS) * part
    starts += random.integers(0, part - length, SAMPLED_PERIODS, endpoint=True)
    periods = [(int(begin[start]), int(begin[start + length - 1])) for start in starts]
    return [(low, high) for low, high in periods if high > low]


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Parts of waits: ``weight`` waits pass through row ``row`` of the segments."""

    row: _Integers
    begin: _Integers
    end: _Integers
    weight: _Integers
    chain: _Integers

    @property
    def total(self) -> _Integers:
        return (self.end - self.begin) * self.weight

    def __getitem__(self, chosen: _Flags) -> "_Pieces":
        return _Pieces(
            self.row[chosen],
            self.begin[chosen],
            self.end[chosen],
            self.weight[chosen],
            self.chain[chosen],
        )


class _Flow:
    """Passes waits on, and adds up edges, chains and leaves."""

    def __init__(
        self, segments: Segments, group: _Integers, windows: Sequence[tuple[int, int]]
    ) -> None:
        self.segments = segments
        self.group = group
        # Views: a recording may have 15 million segments.
        self.begin = segments.begin_ns.view(np.int64)
        self.end = segments.end_ns.view(np.int64)
        self.origin = int(self.begin.min()) if len(self.begin) else 0
        self.span = int(self.end.max(initial=self.origin)) - self.origin + 1
        self.key = segments.thread.astype(np.int64)
        self.key *= self.span
        self.key += self.begin
        self.key -= self.origin
        self.cycle = self._cycles(windows)
        self.edges: dict[int, int] = {}
        self.leaves: dict[tuple[int, int, int], int] = {}
        self.chains: dict[tuple[int, int], int] = {}
        self.chain_ns: list[int] = []
        self.chain_group: list[int] = []
        self.chain_parent: list[int] = []

    def follow(self, rows: _Integers, begin: _Integers, end: _Integers) -> None:
        """Follow waits to the ends of their chains."""
        threads = self.segments.thread[rows].astype(np.int64)
        chains = self._extend(np.full(len(rows), -1), threads)
        pieces = _Pieces(rows, begin, end, np.ones(len(rows), np.int64), chains)
        self._add_chain_time(pieces.chain, pieces.total)
        for _ in range(MAX_STEPS):
            if not len(pieces.row):
                return
            pieces = self._step(pieces)
        threads = self.segments.thread[pieces.row].astype(np.int64)
        self._add_leaves(pieces.chain, threads, Activity.CYCLE, pieces)

    def _step(self, pieces: _Pieces) -> _Pieces:
        target = self.segments.target[pieces.row].astype(np.int64)
        thread = self.segments.thread[pieces.row].astype(np.int64)
        total = pieces.total
        _add(self.edges, thread * self.segments.nodes + target, total)
        chain = self._extend(pieces.chain, target)
        longer = chain != pieces.chain
        self._add_chain_time(chain[longer], total[longer])
        cycle = self.cycle[pieces.row]
        outside = (target >= self.segments.threads) | cycle
        if outside.any():
            kinds = np.where(cycle[outside], Activity.CYCLE, Activity.WAIT)
            self._add_leaves(chain[outside], target[outside], kinds, pieces[outside])
        inner = ~outside
        return self._pass_on(pieces[inner], chain[inner], target[inner])

    def _pass_on(self, pieces: _Pieces, chain: _Integers, target: _Integers) -> _Pieces:
        """Return the waits of the ``target`` threads meanwhile; adds other activities to leaves."""
        merged, target = self._merge(pieces, chain, target)
        first, count = self._rows_within(target, merged)
        row, part = _expand(first, count)
        begin = np.maximum(self.begin[row], merged.begin[part])
        end = np.minimum(self.end[row], merged.end[part])
        overlaps = _Pieces(row, begin, end, merged.weight[part], merged.chain[part])
        covered = np.bincount(part, overlaps.end - overlaps.begin, len(target)).astype(np.int64)
        gap = merged.end - merged.begin - covered
        if gap.any():
            rows = gap > 0
            missing = _Pieces(target, gap * 0, gap, merged.weight, merged.chain)[rows]
            self._add_leaves(missing.chain, target[rows], Activity.UNKNOWN, missing)
        activity = self.segments.activity[row]
        waits = activity == Activity.WAIT
        ends = overlaps[~waits]
        self._add_leaves(ends.chain, target[part[~waits]], activity[~waits], ends)
        return overlaps[waits]

    def _merge(
        self, pieces: _Pieces, chain: _Integers, target: _Integers
    ) -> tuple[_Pieces, _Integers]:
        """Return pieces per chain and target thread that do not overlap, with added weights."""
        keys, number = np.unique(chain * self.segments.nodes + target, return_inverse=True)
        time = np.concatenate([pieces.begin, pieces.end])
        time -= self.origin
        number = np.concatenate([number, number])
        change = np.concatenate([pieces.weight, -pieces.weight])
        if len(keys) * self.span < KEY_LIMIT:
            order = np.argsort(number * self.span + time, kind="stable")
        else:
            order = np.lexsort((time, number))
        time, number = time[order], number[order]
        weight = np.cumsum(change[order])[:-1]
        has_weight = (weight > 0) & (time[1:] > time[:-1])
        key = keys[number[:-1][has_weight]]
        merged = _Pieces(
            row=np.zeros(len(key), np.int64),
            begin=time[:-1][has_weight] + self.origin,
            end=time[1:][has_weight] + self.origin,
            weight=weight[has_weight],
            chain=key // self.segments.nodes,
        )
        return merged, key % self.segments.nodes

    def _rows_within(self, thread: _Integers, pieces: _Pieces) -> tuple[_Integers, _Integers]:
        """Return the first row and the number of rows of threads that overlap the pieces."""
        base = thread * self.span - self.origin
        first = np.searchsorted(self.key, base + pieces.begin, "right") - 1
        last = np.searchsorted(self.key, base + pieces.end, "left")
        held = np.maximum(first, 0)
        covers = (self.segments.thread[held] == thread) & (self.end[held] > pieces.begin)
        first = np.where((first >= 0) & covers, first, first + 1)
        return first, np.maximum(last - first, 0)

    def _extend(self, chain: _Integers, node: _Integers) -> _Integers:
        """Return the chains with the group of ``node`` at the end.

        A group appears at most twice in a row: a thread that waits for another thread of its group
        differs from one that waits for the next group.
        """
        groups = int(self.group.max(initial=0)) + 1
        codes, inverse = np.unique((chain + 1) * groups + self.group[node], return_inverse=True)
        numbers = np.empty(len(codes), np.int64)
        for position, code in enumerate(codes.tolist()):
            key = code // groups - 1, code % groups
            if self._repeats(*key):
                numbers[position] = key[0]
                continue
            if key not in self.chains and len(self.chains) >= MAX_CHAINS:
                key = -1, key[1]
            number = self.chains.setdefault(key, len(self.chains))
            if number == len(self.chain_ns):
                self.chain_ns.append(0)
                self.chain_group.append(key[1])
                self.chain_parent.append(key[0])
            numbers[position] = number
        return numbers[inverse]

    def _repeats(self, chain: int, group: int) -> bool:
        """Return whether the last two groups of a chain are ``group``."""
        parent = self.chain_parent[chain] if chain >= 0 else -1
        return parent >= 0 and self.chain_group[chain] == self.chain_group[parent] == group

    def _add_chain_time(self, chain: _Integers, total: _Integers) -> None:
        sums = np.bincount(chain, total, len(self.chain_ns))
        for number in np.flatnonzero(sums).tolist():
            self.chain_ns[number] += round(sums[number])

    def _add_leaves(
        self,
        chain: _Integers,
        node: _Integers,
        activity: Activity | npt.NDArray[np.integer],
        pieces: _Pieces,
    ) -> None:
        if not len(chain):
            return
        kinds = len(Activity)
        codes = (chain * self.segments.nodes + node) * kinds + activity
        unique, inverse = np.unique(codes, return_inverse=True)
        sums = np.bincount(inverse, pieces.total)
        for code, total in zip(unique.tolist(), sums.tolist(), strict=True):
            place, kind = divmod(code, kinds)
            key = (*divmod(place, self.segments.nodes), kind)
            self.leaves[key] = self.leaves.get(key, 0) + round(total)

    def _cycles(self, windows: Sequence[tuple[int, int]]) -> _Flags:
        """Return, per segment, whether its wait leads back to its thread at its end.

        Only waits in the windows are examined.

        A waker runs when it wakes, so complete records have no cycle. In every cycle, the wait
        that ends first leads back to its thread at that moment; following it no further is enough.
        """
        segments = self.segments
        leads_back = np.zeros(len(self.begin), np.bool_)
        rows = self._waits_in(windows)
        thread, at = segments.thread[rows].astype(np.int64), self.end[rows] - 1
        target = segments.target[rows].astype(np.int64)
        for _ in range(min(MAX_STEPS, segments.threads + 1)):
            back = target == thread
            leads_back[rows[back]] = True
            inner = ~back & (target < segments.threads) & (target >= 0)
            rows, thread, at, target = rows[inner], thread[inner], at[inner], target[inner]
            if not len(rows):
                break
            # Searching in order is several times faster.
            at_key = target * self.span + (at - self.origin)
            order = np.argsort(at_key)
            rows, thread, at, target = rows[order], thread[order], at[order], target[order]
            position = np.searchsorted(self.key, at_key[order], "right") - 1
            held = np.maximum(position, 0)
            waits = (segments.thread[held] == target) & (self.end[held] > at) & (position >= 0)
            waits &= segments.activity[held] == Activity.WAIT
            rows, thread, at = rows[waits], thread[waits], at[waits]
            target = segments.target[held[waits]].astype(np.int64)
        return leads_back

    def _waits_in(self, windows: Sequence[tuple[int, int]]) -> _Integers:
        """Return the rows of the waits that overlap a window; windows are in time order."""
        if not windows:
            return np.zeros(0, np.int64)
        lows, highs = (np.array(limits, np.int64) for limits in zip(*windows, strict=True))
        rows_of_blocks = []
        for start in range(0, len(self.begin), BLOCK):
            part = slice(start, start + BLOCK)
            rows = np.flatnonzero(self.segments.activity[part] == Activity.WAIT)
            # The first window that ends after the wait's begin.
            place = np.searchsorted(highs, self.begin[part][rows], "right")
            overlaps = place < len(lows)
            overlaps[overlaps] = lows[place[overlaps]] < self.end[part][rows][overlaps]
            rows_of_blocks.append(rows[overlaps] + start)
        return np.concatenate(rows_of_blocks) if rows_of_blocks else np.zeros(0, np.int64)

    def result(self, followed_share: float) -> Cascade:
        """Return what was added up, scaled to all waits."""
        nodes = self.segments.nodes
        return Cascade(
            edges={
                divmod(code, nodes): round(total / followed_share)
                for code, total in self.edges.items()
            },
            leaves=[
                Leaf(chain, node, Activity(kind), round(total / followed_share))
                for (chain, node, kind), total in self.leaves.items()
                if total
            ],
            chain_parent=self.chain_parent,
            chain_group=self.chain_group,
            chain_ns=[round(total / followed_share) for total in self.chain_ns],
            followed_share=followed_share,
        )


def _add(sums: dict[int, int], codes: _Integers, total: _Integers) -> None:
    unique, inverse = np.unique(codes, return_inverse=True)
    weights = np.bincount(inverse, total, len(unique))
    for code, weight in zip(unique.tolist(), weights.tolist(), strict=True):
        sums[code] = sums.get(code, 0) + round(weight)


def _expand(first: _Integers, count: _Integers) -> tuple[_Integers, _Integers]:
    """Return the rows first, first + 1, ... of each piece, and the pieces that they belong to."""
    part = np.repeat(np.arange(len(first)), count)
    offset = np.arange(len(part)) - np.repeat(np.cumsum(count) - count, count)
    return first[part] + offset, part
