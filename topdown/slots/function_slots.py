"""IPC and slots by function, from event counts in samples of an event group.

The sums of a function's counts use the same formulas as a whole reading. Their intervals come from
a grouped jackknife that omits a tenth of the samples at a time. Counts between two samples are
attributed to the function of the second sample. If the first sample is in another function, the
counts belong to both; ``same_share`` is the share of counts between samples of the same function.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from stallscope.statistics.intervals import NORMAL_95
from topdown.slots.counts import EventCounts, counts_of
from topdown.slots.evaluation import evaluate
from topdown.slots.event_names import GENERIC, canonical
from topdown.slots.measurement import Interval, Ipc, MeasuredNode
from topdown.slots.model import Model
from topdown.stacks.profile import FunctionKind, Profile
from topdown.stacks.profile_tree import node_levels, subtree_sums
from topdown.stacks.ranking import outermost
from topdown.stacks.sample_counts import ExcludedSamples, SampleCounts
from topdown.stacks.symbols.function_table import kinds_of

MIN_SAMPLES = 30  # with fewer, a ratio of counts is not reported
JACKKNIFE_GROUPS = 10
MAX_FUNCTIONS = 200  # evaluated; pages and tables show fewer
_CYCLES = frozenset({"cycles", "cpu-cycles", "unhalted_core_cycles", *GENERIC["cycles"]})
_INSTRUCTIONS = frozenset({"instructions", "instruction_retired", *GENERIC["instructions"]})
_Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FunctionSlots:
    """Counts, IPC and slots of a function; ``index`` is into Profile.functions, -1 for the total.

    ``counts`` are by event. ``nodes`` are levels 1 and 2, as far as their events were counted.
    With too ``few`` samples ``ipc`` is None and ``nodes`` is empty. ``same_share`` is the share of
    the sampled event's counts, 0..1, between two samples of this function; NaN without counts.
    ``dominating`` is the level-1 node with most slots, None if it is not known.
    """

    index: int
    samples: int
    counts: Mapping[str, float]
    ipc: Ipc | None
    nodes: tuple[MeasuredNode, ...]
    same_share: float
    dominating: str | None
    few: bool

    @classmethod
    def nothing(cls, index: int, events: Iterable[str]) -> "FunctionSlots":
        """Return the result of a function without samples."""
        return cls(index, 0, dict.fromkeys(events, 0.0), None, (), float("nan"), None, few=True)

    def node(self, name: str) -> MeasuredNode | None:
        """Return a node by name, or None."""
        return next((node for node in self.nodes if node.name == name), None)


@dataclass(frozen=True, slots=True)
class SlotsByFunction:
    """Functions in descending order of the sampled event's counts.

    ``functions`` are counted by their own samples, ``called`` by all samples whose stacks contain
    them, including kernel code. ``cpu`` is the model whose formulas were used; None if only IPC
    and counts are available.
    """

    events: tuple[str, ...]
    sampled: str  # the sampled event
    cpu: str | None
    title: str
    whole: float
    total: FunctionSlots
    functions: tuple[FunctionSlots, ...]
    called: tuple[FunctionSlots, ...]
    left_out: ExcludedSamples
    running: float
    gap_share: float


@dataclass(frozen=True, slots=True)
class _Scope:
    """The events and the model of all functions."""

    events: tuple[str, ...]
    model: Model | None


def slots_by_function(profile: Profile, model: Model | None = None) -> SlotsByFunction | None:
    """Return IPC and slots of a profile's functions, or None if its samples hold no counts.

    ``model`` is that of the recorded CPU. Without a model the result contains event counts, and
    IPC if both of its events were counted.
    """
    counted = profile.counted
    if counted is None:
        return None
    if model is not None and not _has_level_one(model, counted.events):
        model = None
    scope = _Scope(counted.events, model)
    numbers, function = np.unique(profile.node_function[counted.node], return_inverse=True)
    groups = _jackknife_sums(counted, function, len(numbers))
    samples = np.bincount(function[counted.used], minlength=len(numbers))
    same = _same_shares(counted, function, len(numbers))
    heaviest = np.argsort(-groups.sum(axis=0)[:, counted.sampled], kind="stable")
    rows = [row for row in heaviest.tolist() if samples[row]]
    return SlotsByFunction(
        events=counted.events,
        sampled=counted.events[counted.sampled],
        cpu=None if model is None else model.cpu,
        title="" if model is None else model.title,
        whole=1.0 if model is None else model.whole,
        total=_function(scope, -1, groups.sum(axis=1), int(samples.sum()), float("nan")),
        functions=tuple(
            _function(
                scope,
                int(numbers[row]),
                groups[:, row],
                int(samples[row]),
                float(same[row]),
            )
            for row in rows[:MAX_FUNCTIONS]
        ),
        called=_called(scope, profile, counted),
        left_out=counted.left_out,
        running=counted.running,
        gap_share=counted.gap_share,
    )


def _has_level_one(model: Model, events: Iterable[str]) -> bool:
    """Return whether these events suffice for a level-1 node of the model."""
    counts = counts_of(model, EventCounts("", counts=dict.fromkeys(events, 1.0)))
    nodes = evaluate(model, counts).nodes.values()
    return any(node.level == 1 and node.value is not None for node in nodes)


def _jackknife_sums(
    counted: SampleCounts, function: npt.NDArray[np.intp], functions: int
) -> _Reals:
    """Return sums by (group, function, event); groups receive a function's samples in turn."""
    used = np.flatnonzero(counted.used)
    order = used[np.argsort(function[used], kind="stable")]
    owner = function[order]
    first = np.searchsorted(owner, owner)
    group = (np.arange(len(owner)) - first) % JACKKNIFE_GROUPS
    key = group * functions + owner
    sums = np.zeros((JACKKNIFE_GROUPS * functions, len(counted.events)))
    for column in range(len(counted.events)):
        sums[:, column] = np.bincount(
            key, weights=counted.delta[order, column], minlength=len(sums)
        )
    return sums.reshape(JACKKNIFE_GROUPS, functions, len(counted.events))


def _same_shares(counted: SampleCounts, function: npt.NDArray[np.intp], functions: int) -> _Reals:
    """Return each function's share of counts between two of its own samples, 0..1."""
    own = counted.used & (counted.before >= 0) & (function[counted.before] == function)
    weight = counted.delta[:, counted.sampled]
    whole = np.bincount(function, weights=weight, minlength=functions)
    same = np.bincount(function, weights=np.where(own, weight, 0.0), minlength=functions)
    shares = np.full(functions, np.nan)
    np.divide(same, whole, out=shares, where=whole > 0)
    return shares


def _called(scope: _Scope, profile: Profile, counted: SampleCounts) -> tuple[FunctionSlots, ...]:
    """Return functions by all stacks that contain them; each stack counts once."""
    nodes = len(profile.node_parent)
    levels = node_levels(profile.node_parent)
    outer = outermost(profile)
    owner = profile.node_function[outer]

    def summed(values: _Reals) -> _Reals:
        at_node = np.bincount(counted.node, weights=values, minlength=nodes)
        total = subtree_sums(levels, profile.node_parent, at_node)
        of_function = np.bincount(owner, weights=total[outer], minlength=len(profile.functions))
        return of_function.astype(np.float64)

    samples = summed(counted.used.astype(np.float64))
    sums = np.stack(
        [summed(counted.delta[:, column]) for column in range(len(scope.events))], axis=1
    )
    kinds = kinds_of(profile.functions)
    real = (samples > 0) & (kinds != FunctionKind.ROOT) & (kinds != FunctionKind.TRUNCATED)
    rows = np.flatnonzero(real)
    heaviest = rows[np.argsort(-sums[rows, counted.sampled], kind="stable")][:MAX_FUNCTIONS]
    return tuple(
        _function(scope, number, sums[None, number], int(samples[number]), float("nan"))
        for number in heaviest.tolist()
    )


def _function(
    scope: _Scope, index: int, groups: _Reals, samples: int, same_share: float
) -> FunctionSlots:
    """Return a function's values by its sums (n_groups, n_events); one group gives no intervals."""
    sums = groups.sum(axis=0)
    counts = dict(zip(scope.events, sums.tolist(), strict=True))
    few = samples < MIN_SAMPLES
    ipc, nodes = (None, ()) if few else _evaluated(scope, sums)
    if not few and len(groups) > 1:
        left_out = [_evaluated(scope, sums - part) for part in groups]
        ipc = None if ipc is None else _with_spread(ipc, [part_ipc for part_ipc, _ in left_out])
        nodes = _nodes_with_spread(nodes, [part_nodes for _, part_nodes in left_out])
    return FunctionSlots(index, samples, counts, ipc, nodes, same_share, _dominating(nodes), few)


def _evaluated(scope: _Scope, sums: _Reals) -> tuple[Ipc | None, tuple[MeasuredNode, ...]]:
    counts = dict(zip(scope.events, sums.tolist(), strict=True))
    if scope.model is None:
        return _ipc(counts), ()
    tree = evaluate(scope.model, counts_of(scope.model, EventCounts("", counts=counts)))
    nodes = tuple(
        MeasuredNode(
            name=node.name,
            level=node.level,
            parent=node.parent,
            value=node.value,
            unit="slots",
            above_threshold=node.above_threshold,
            warnings=node.warnings,
            impossible=node.impossible,
        )
        for node in tree.nodes.values()
        if node.level in (1, 2) and (node.value is not None or node.level == 1)
    )
    return _ipc(counts), nodes


def _ipc(counts: Mapping[str, float]) -> Ipc | None:
    instructions = _count_of(counts, _INSTRUCTIONS)
    cycles = _count_of(counts, _CYCLES)
    if instructions is None or not cycles:
        return None
    return Ipc(instructions / cycles, instructions, cycles)


def _count_of(counts: Mapping[str, float], spellings: frozenset[str]) -> float | None:
    return next((value for name, value in counts.items() if canonical(name) in spellings), None)


def _with_spread(ipc: Ipc, left_out: list[Ipc | None]) -> Ipc:
    interval = _interval(ipc.value, [None if part is None else part.value for part in left_out])
    return Ipc(ipc.value, ipc.instructions, ipc.cycles, interval)


def _nodes_with_spread(
    nodes: tuple[MeasuredNode, ...], left_out: list[tuple[MeasuredNode, ...]]
) -> tuple[MeasuredNode, ...]:
    with_intervals = []
    for node in nodes:
        others = [
            next((other.value for other in group if other.name == node.name), None)
            for group in left_out
        ]
        interval = None if node.value is None else _interval(node.value, others)
        with_intervals.append(replace(node, interval=interval))
    return tuple(with_intervals)


def _interval(value: float, left_out: list[float | None]) -> Interval | None:
    """Return the 95 % interval from values that each omit a group, or None if one is missing.

    Source: Shao and Tu, The Jackknife and Bootstrap, 1995, section 2.3 (delete-d, g groups).
    """
    numbers = np.array([other for other in left_out if other is not None])
    if len(numbers) < JACKKNIFE_GROUPS:
        return None
    groups = len(numbers)
    reach = NORMAL_95 * float(
        np.sqrt((groups - 1) / groups * ((numbers - numbers.mean()) ** 2).sum())
    )
    return Interval(value - reach, value + reach)


def _dominating(nodes: tuple[MeasuredNode, ...]) -> str | None:
    """Return the level-1 node with most slots, or None unless all of them are known."""
    top = [node for node in nodes if node.level == 1]
    if not any(node.name.lower() == "retiring" for node in top):
        return None  # shares of cycles, not of slots
    if any(node.value is None or node.impossible for node in top):
        return None
    return max(top, key=lambda node: node.value or 0.0).name
