"""Causes of waits: where the chains of waits end, in order of cost.

A thread that sleeps by itself waits for nothing, so its sleep is not a cause; a sleep that another
thread waits for is. The same holds for waits of which the cause was not recorded.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.waits.cascade import Segments, cascade
from topdown.waits.graph import WaitGraph, knots_after_splitting, merge_groups, without_nodes
from topdown.waits.groups import thread_groups
from topdown.waits.pseudo_nodes import NODE_NAMES, PseudoNode
from topdown.waits.records import WaitingThread, WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals
from topdown.waits.wait_chains import Activity, Cascade, Leaf
from topdown.waits.wait_targets import wait_segments

MAX_CAUSES = 50
MAX_CHAIN = 12
# Edges below this share of the heaviest one are left out of the graph.
LIGHT_EDGE_SHARE = 0.01
# Edges below this share of the waits of their group are left out of the search for knots.
LIGHT_SHARE_OF_GROUP = 0.05
_KINDS = {
    PseudoNode.DISK: "disk",
    PseudoNode.NETWORK: "network",
    PseudoNode.TIMER: "sleep",
    PseudoNode.INTERRUPT: "interrupt",
    PseudoNode.UNKNOWN: "unknown",
    PseudoNode.LOOPBACK: "network",
}
# Causes only if another thread waits for the thread that waits for them.
_INDIRECT_ONLY = (PseudoNode.TIMER, PseudoNode.INTERRUPT, PseudoNode.UNKNOWN)


@dataclass(frozen=True, slots=True)
class ChainStep:
    """A step of a chain: a group, and the time for which the step before waited for it."""

    name: str
    wait_ns: int


@dataclass(frozen=True, slots=True)
class Cause:
    """The end of chains of waits.

    ``kind``: "thread" (it runs), "run_queue" (it waits for a CPU), "process" (a thread outside of
    the target), "disk", "network", "sleep", "interrupt", "unknown" or "cycle"; for threads that
    could run, see `topdown/waits/cpu_causes.py`. ``chain``: the heaviest chain, from a waiting
    group to the cause; its first step has the time of all waits of that group. ``confidence``: in
    the steps of this chain, 1 if the records show each. 0: the last step shows no sender.
    """

    kind: str
    name: str
    wait_ns: int
    chain: tuple[ChainStep, ...]
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class CauseAnalysis:
    """Causes in order of cost, the graph between groups, and its knots.

    ``unexplained_ns``: waits without a recorded cause. ``missing``: edges that this recording
    cannot have. ``followed_share``: see `topdown/waits/cascade.py`.
    """

    causes: tuple[Cause, ...]
    graph: WaitGraph
    knots: tuple[tuple[str, ...], ...]
    wait_ns: int
    unexplained_ns: int
    missing: tuple[str, ...]
    followed_share: float


def find_causes(
    records: WaitRecords,
    intervals: Intervals,
    names: StackNames | None = None,
    *,
    background: npt.NDArray[np.bool_] | None = None,
    segments: Segments | None = None,
) -> CauseAnalysis:
    """Return the causes of the waits of the target's threads.

    ``background``: (n_threads,) threads whose own waits do not count, those of idle pools.
    ``segments``: those of the intervals, if they are known.
    """
    if segments is None:
        segments = wait_segments(records, intervals, names)
    nodes = _Nodes.build(records.threads)
    origins = np.array([thread.target for thread in records.threads], np.bool_)
    if background is not None:
        origins &= ~background
    result = cascade(segments, origins=origins, groups=nodes.group)
    steps = _step_confidence(segments, nodes)
    causes, unexplained = _causes(result, nodes, records.threads, steps)
    edges = merge_groups(result.edges, nodes.group, nodes.sizes)
    waits = _waits_of_groups(result, nodes)
    edges = without_nodes(edges, {nodes.group[nodes.threads + node] for node in _INDIRECT_ONLY})
    heaviest = max(edges.values(), default=0.0)
    edges = {pair: ns for pair, ns in edges.items() if ns >= LIGHT_EDGE_SHARE * heaviest}
    heavy = {pair: ns for pair, ns in edges.items() if ns >= LIGHT_SHARE_OF_GROUP * waits[pair[0]]}
    heavy_knots, _ = knots_after_splitting(heavy)
    return CauseAnalysis(
        causes=tuple(causes[:MAX_CAUSES]),
        graph=WaitGraph(nodes.names, edges),
        knots=tuple(tuple(nodes.names[group] for group in sorted(knot)) for knot in heavy_knots),
        wait_ns=_total(segments, origins),
        unexplained_ns=unexplained,
        missing=_missing(records),
        followed_share=result.followed_share,
    )


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Groups of the nodes: (n_nodes,) numbers, names and numbers of threads of the groups."""

    group: list[int]
    names: tuple[str, ...]
    sizes: list[int]
    threads: int

    @classmethod
    def build(cls, threads: Sequence[WaitingThread]) -> "_Nodes":
        groups = thread_groups(threads, range(len(threads)))
        targets = {thread.process_name for thread in threads if thread.target}
        group, names = [0] * len(threads), []
        for number, members in enumerate(groups):
            for thread in members.threads:
                group[thread] = number
            alone = len(targets) < 2 and members.process_name in targets
            same = members.name == members.process_name
            full = f"{members.process_name}/{members.name}"
            names.append(members.name if alone or same else full)
        sizes = [len(members.threads) for members in groups]
        for node in PseudoNode:
            group.append(len(names))
            names.append(NODE_NAMES[node])
            sizes.append(1)
        return cls(group, tuple(names), sizes, len(threads))


def _waits_of_groups(result: Cascade, nodes: _Nodes) -> list[float]:
    """Return the waiting time of a mean thread of each group, also for threads of the group."""
    sums = [0.0] * len(nodes.names)
    for (source, _), ns in result.edges.items():
        sums[nodes.group[source]] += ns
    return [total / max(size, 1) for total, size in zip(sums, nodes.sizes, strict=True)]


def _causes(
    result: Cascade,
    nodes: _Nodes,
    threads: Sequence[WaitingThread],
    confidence: "dict[tuple[int, int], float]",
) -> tuple[list[Cause], int]:
    """Return the causes in order of cost, and the time of waits without a cause.

    ``confidence``: of steps between groups, 1 for those that are not listed.
    """
    total: dict[tuple[str, str], int] = {}
    chains: dict[tuple[str, str], _Chains] = {}
    unexplained = 0
    for leaf in result.leaves:
        steps = result.steps(leaf.chain)
        cause = _cause_of(leaf, steps, nodes, threads)
        if cause is None:
            unexplained += _is_unknown(leaf, nodes) * leaf.wait_ns
            continue
        total[cause] = total.get(cause, 0) + leaf.wait_ns
        chains.setdefault(cause, _Chains(result)).add(leaf)
    causes = []
    for (kind, name), wait_ns in total.items():
        groups, chain = chains[kind, name].heaviest(nodes.names)
        certain = math.prod(confidence.get(pair, 1.0) for pair in itertools.pairwise(groups))
        causes.append(Cause(kind, name, wait_ns, tuple(chain), certain))
    return sorted(causes, key=lambda cause: (-cause.wait_ns, cause.kind, cause.name)), unexplained


class _Chains:
    """The chains to a cause; those that differ only in repeated groups are added up."""

    def __init__(self, result: Cascade) -> None:
        self._result = result
        self._wait_ns: dict[tuple[int, ...], int] = {}
        self._steps: dict[tuple[int, ...], list[set[int]]] = {}

    def add(self, leaf: Leaf) -> None:
        """Add the chain of a leaf."""
        runs = [
            next(run)
            for _, run in itertools.groupby(
                self._result.path(leaf.chain), key=lambda step: self._result.chain_group[step]
            )
        ]
        groups = tuple(self._result.chain_group[step] for step in runs)
        self._wait_ns[groups] = self._wait_ns.get(groups, 0) + leaf.wait_ns
        steps = self._steps.setdefault(groups, [set() for _ in groups])
        for step, chains in zip(runs, steps, strict=True):
            chains.add(step)

    def heaviest(self, names: Sequence[str]) -> tuple[tuple[int, ...], list[ChainStep]]:
        """Return the groups and the last steps of the heaviest chain."""
        groups = max(self._wait_ns, key=lambda groups: self._wait_ns[groups])
        steps = [
            ChainStep(names[group], sum(self._result.chain_ns[chain] for chain in chains))
            for group, chains in zip(groups, self._steps[groups], strict=True)
        ]
        return groups, steps[-MAX_CHAIN:]


def _step_confidence(segments: Segments, nodes: _Nodes) -> dict[tuple[int, int], float]:
    """Return the mean confidence of the waits of one group for another, by (waiter, cause).

    Without pairs of which all waits have a recorded end.
    """
    if segments.confidence is None:
        return {}
    group, count = np.array(nodes.group, np.int64), len(nodes.names)
    waits = np.flatnonzero(segments.activity == Activity.WAIT)
    pair = group[segments.thread[waits]] * count + group[segments.target[waits]]
    inferred = segments.confidence[waits] < 1
    concerned = np.isin(pair, np.unique(pair[inferred]))
    waits, pair = waits[concerned], pair[concerned]
    time = (segments.end_ns[waits] - segments.begin_ns[waits]).astype(np.float64)
    pairs, inverse = np.unique(pair, return_inverse=True)
    weighted = np.bincount(inverse, time * segments.confidence[waits], len(pairs))
    shares = weighted / np.maximum(np.bincount(inverse, time, len(pairs)), 1.0)
    return {
        divmod(code, count): share
        for code, share in zip(pairs.tolist(), shares.tolist(), strict=True)
    }


def _cause_of(
    leaf: Leaf, steps: list[tuple[int, int]], nodes: _Nodes, threads: Sequence[WaitingThread]
) -> tuple[str, str] | None:
    """Return kind and name of the cause at the end of a chain; None if it is not a cause."""
    if leaf.node >= nodes.threads:
        node = PseudoNode(leaf.node - nodes.threads)
        if node not in _INDIRECT_ONLY:
            return _KINDS[node], NODE_NAMES[node]
        waits_itself = len(steps) <= 2
        return None if waits_itself else (_KINDS[node], nodes.names[steps[-2][0]])
    name = nodes.names[nodes.group[leaf.node]]
    if not threads[leaf.node].target:
        return "process", name
    if leaf.activity == Activity.QUEUE:
        return "run_queue", name
    return ("cycle" if leaf.activity == Activity.CYCLE else "thread"), name


def _is_unknown(leaf: Leaf, nodes: _Nodes) -> bool:
    return leaf.node == nodes.threads + PseudoNode.UNKNOWN


def _total(segments: Segments, origins: npt.NDArray[np.bool_]) -> int:
    waits = (segments.activity == Activity.WAIT) & origins[segments.thread]
    return int((segments.end_ns[waits] - segments.begin_ns[waits]).sum())


def _missing(records: WaitRecords) -> tuple[str, ...]:
    """Return the edges that a recording without the right to trace whole CPUs cannot have."""
    missing = []
    if records.wake_ups is None:
        missing.append(
            "wake-ups are not recorded: of the edges between threads, only waits for locks whose "
            "owner was read are known; tracing wake-ups needs CAP_PERFMON and a readable tracefs"
        )
    elif not records.whole_cpus:
        missing.append(
            "wake-ups by timers, interrupts and other processes are not recorded, so their edges "
            "are missing; recording them needs the right to trace whole CPUs (CAP_PERFMON, or "
            "kernel.perf_event_paranoid at most 0) and a readable tracefs"
        )
    return tuple(missing)
