"""IPC and slots by function, from the counts that samples of a group hold.

Sums of a function's counts go through the same formulas as a whole reading. How far they would
spread in other samples is told by leaving out a tenth of them at a time (a grouped jackknife).
Counts between two samples are given to the function of the second: where the first stood in
another function, both have a part in them. ``same_share`` says how much lies between samples of
the function itself; the rest is blended with its neighbours.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from stallscope.statistics.intervals import NORMAL_95
from topdown.slots.counts import Reading, counts_of
from topdown.slots.evaluation import evaluate
from topdown.slots.event_names import GENERIC, canonical
from topdown.slots.measurement import Interval, Ipc, MeasuredNode
from topdown.slots.model import Model
from topdown.stacks.profile import FunctionKind, Profile
from topdown.stacks.profile_tree import node_levels, subtree_sums
from topdown.stacks.ranking import outermost
from topdown.stacks.sample_counts import ExcludedSamples, SampleCounts
from topdown.stacks.symbols.function_table import kinds_of

FEWEST_SAMPLES = 30  # below, a ratio of counts says little
JACKKNIFE_GROUPS = 10
MOST_FUNCTIONS = 200  # that are evaluated; the page and the tables show fewer
_CYCLES = frozenset({"cycles", "cpu-cycles", "unhalted_core_cycles", *GENERIC["cycles"]})
_INSTRUCTIONS = frozenset({"instructions", "instruction_retired", *GENERIC["instructions"]})
_Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FunctionSlots:
    """What one function's own samples counted; ``index`` is into Profile.functions, -1 the whole.

    ``counts``: by event. ``nodes``: levels 1 and 2 as far as their events were counted. ``ipc`` and
    ``nodes`` are None and empty with too few ``samples``: ``few``. ``same_share``: of the sampled
    event's counts, 0..1, what lies between two samples of this function; NaN where none were.
    ``dominating``: the level-1 node that took most slots, None where that is not known.
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
        """Return a function that no sample of its own counted anything for."""
        return cls(index, 0, dict.fromkeys(events, 0.0), None, (), float("nan"), None, few=True)

    def node(self, name: str) -> MeasuredNode | None:
        """Return a node by its name; None where it is not there."""
        return next((node for node in self.nodes if node.name == name), None)


@dataclass(frozen=True, slots=True)
class SlotsByFunction:
    """Functions by the sampled event's counts, the most first.

    ``functions`` are by their own samples, ``called`` by all samples in whose stacks they stand:
    what the kernel does for a function is in that.
    ``cpu``: whose formulas were used; None where only IPC and plain counts are told.
    """

    events: tuple[str, ...]
    sampled: str  # of the events, the one that samples
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
    """What all functions' values are made with."""

    events: tuple[str, ...]
    model: Model | None


def slots_by_function(profile: Profile, model: Model | None = None) -> SlotsByFunction | None:
    """Return IPC and slots of a profile's functions; None where nothing was counted with samples.

    ``model``: of the CPU that was recorded; without one there is IPC, where both its events were
    counted, and each event's count.
    """
    counted = profile.counted
    if counted is None:
        return None
    if model is not None and not _is_of(model, counted.events):
        model = None
    scope = _Scope(counted.events, model)
    numbers, function = np.unique(profile.node_function[counted.node], return_inverse=True)
    groups = _jackknife_sums(counted, function, len(numbers))
    samples = np.bincount(function[counted.used], minlength=len(numbers))
    same = _same_shares(counted, function, len(numbers))
    heaviest = np.argsort(-groups.sum(axis=0)[:, counted.sampled], kind="stable")
    chosen = [place for place in heaviest.tolist() if samples[place]]
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
                int(numbers[place]),
                groups[:, place],
                int(samples[place]),
                float(same[place]),
            )
            for place in chosen[:MOST_FUNCTIONS]
        ),
        called=_called(scope, profile, counted),
        left_out=counted.left_out,
        running=counted.running,
        gap_share=counted.gap_share,
    )


def _is_of(model: Model, events: Iterable[str]) -> bool:
    """Return whether any level-1 node of the model can be told by these events."""
    counts = counts_of(model, Reading("", counts=dict.fromkeys(events, 1.0)))
    nodes = evaluate(model, counts).nodes.values()
    return any(node.level == 1 and node.value is not None for node in nodes)


def _jackknife_sums(
    counted: SampleCounts, function: npt.NDArray[np.intp], functions: int
) -> _Reals:
    """Return sums by (group, function, event); a function's samples go to its groups in turn."""
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
    """Return for each function what of its counts lies between two of its samples, 0..1."""
    own = counted.used & (counted.before >= 0) & (function[counted.before] == function)
    weight = counted.delta[:, counted.sampled]
    whole = np.bincount(function, weights=weight, minlength=functions)
    same = np.bincount(function, weights=np.where(own, weight, 0.0), minlength=functions)
    shares = np.full(functions, np.nan)
    np.divide(same, whole, out=shares, where=whole > 0)
    return shares


def _called(scope: _Scope, profile: Profile, counted: SampleCounts) -> tuple[FunctionSlots, ...]:
    """Return functions with all that they called, each stack once."""
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
    sums = np.stack([summed(counted.delta[:, place]) for place in range(len(scope.events))], axis=1)
    kinds = kinds_of(profile.functions)
    real = (samples > 0) & (kinds != FunctionKind.ROOT) & (kinds != FunctionKind.TRUNCATED)
    wanted = np.flatnonzero(real)
    heaviest = wanted[np.argsort(-sums[wanted, counted.sampled], kind="stable")][:MOST_FUNCTIONS]
    return tuple(
        _function(scope, number, sums[None, number], int(samples[number]), float("nan"))
        for number in heaviest.tolist()
    )


def _function(
    scope: _Scope, index: int, groups: _Reals, samples: int, same_share: float
) -> FunctionSlots:
    """Return a function's values by its sums (n_groups, n_events); intervals where groups tell."""
    sums = groups.sum(axis=0)
    counts = dict(zip(scope.events, sums.tolist(), strict=True))
    few = samples < FEWEST_SAMPLES
    ipc, nodes = (None, ()) if few else _evaluated(scope, sums)
    if not few and len(groups) > 1:
        left_out = [_evaluated(scope, sums - part) for part in groups]
        ipc = None if ipc is None else _with_spread(ipc, [each for each, _ in left_out])
        nodes = _nodes_with_spread(nodes, [each for _, each in left_out])
    return FunctionSlots(index, samples, counts, ipc, nodes, same_share, _dominating(nodes), few)


def _evaluated(scope: _Scope, sums: _Reals) -> tuple[Ipc | None, tuple[MeasuredNode, ...]]:
    counts = dict(zip(scope.events, sums.tolist(), strict=True))
    if scope.model is None:
        return _ipc(counts), ()
    tree = evaluate(scope.model, counts_of(scope.model, Reading("", counts=counts)))
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
    instructions = _named(counts, _INSTRUCTIONS)
    cycles = _named(counts, _CYCLES)
    if instructions is None or not cycles:
        return None
    return Ipc(instructions / cycles, instructions, cycles)


def _named(counts: Mapping[str, float], wanted: frozenset[str]) -> float | None:
    return next((value for name, value in counts.items() if canonical(name) in wanted), None)


def _with_spread(ipc: Ipc, left_out: list[Ipc | None]) -> Ipc:
    interval = _interval(ipc.value, [None if each is None else each.value for each in left_out])
    return Ipc(ipc.value, ipc.instructions, ipc.cycles, interval)


def _nodes_with_spread(
    nodes: tuple[MeasuredNode, ...], left_out: list[tuple[MeasuredNode, ...]]
) -> tuple[MeasuredNode, ...]:
    made = []
    for node in nodes:
        others = [
            next((each.value for each in group if each.name == node.name), None)
            for group in left_out
        ]
        interval = None if node.value is None else _interval(node.value, others)
        made.append(replace(node, interval=interval))
    return tuple(made)


def _interval(value: float, left_out: list[float | None]) -> Interval | None:
    """Return the interval of 95 % by values without a group each; None where one is missing.

    Source: Shao and Tu, The Jackknife and Bootstrap, 1995, section 2.3 (delete-d, g groups).
    """
    known = np.array([each for each in left_out if each is not None])
    if len(known) < JACKKNIFE_GROUPS:
        return None
    groups = len(known)
    reach = NORMAL_95 * float(np.sqrt((groups - 1) / groups * ((known - known.mean()) ** 2).sum()))
    return Interval(value - reach, value + reach)


def _dominating(nodes: tuple[MeasuredNode, ...]) -> str | None:
    """Return the level-1 category with most slots; None where not all of them are known."""
    top = [node for node in nodes if node.level == 1]
    if not any(node.name.lower() == "retiring" for node in top):
        return None  # shares of cycles, which are no slots
    if any(node.value is None or node.impossible for node in top):
        return None
    return max(top, key=lambda node: node.value or 0.0).name
