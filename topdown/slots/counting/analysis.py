"""Countings as a measurement: values with intervals, the marked path, slices of time, doubts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from stallscope.errors import RecordingError
from stallscope.statistics.intervals import mean_interval
from topdown.slots.counting.bottleneck import BottleneckPath, mark
from topdown.slots.counting.counting_run import CountingRun
from topdown.slots.counting.estimation import (
    FEWEST_WINDOWS,
    SHORTEST_WINDOW_S,
    Estimator,
    Quantity,
    merged,
)
from topdown.slots.counting.requested_events import RequestedEvent
from topdown.slots.counting.tree_estimate import STARVED, TreeEstimate
from topdown.slots.counting.unknown_cpu import CYCLES, NO_SLOTS, UnknownEstimate
from topdown.slots.counting.windows import GroupWindows
from topdown.slots.measurement import (
    COUNTS,
    Interval,
    Ipc,
    Kind,
    MeasuredNode,
    Measurement,
    Slice,
)
from topdown.slots.model import Model
from topdown.slots.verification import verification_of

ONLY_TURNS = "multiplexing error only"
SEPARATE = (
    "multiplexing error only, of which there is none: each group was counted in a run of its own, "
    "and a value of several runs has no interval"
)
TOO_FEW = (
    f"none: fewer than {FEWEST_WINDOWS} windows of {SHORTEST_WINDOW_S * 1000:.0f} ms in which "
    "each group had its turn"
)
NO_WHOLE = "this CPU counts stalled cycles and no slots: its values are no shares of one whole"


class Estimate(Protocol):
    """What windows give of a CPU, with a model or without."""

    def nodes(self, wanted: Iterable[str]) -> tuple[MeasuredNode, ...]:
        """Return the nodes' values with their intervals."""

    def difference(self, one: MeasuredNode, other: MeasuredNode) -> Interval | None:
        """Return the interval of one value less another; None where there is none."""

    def ipc(self) -> Ipc | None:
        """Return instructions per cycle."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What one counting or several gave."""

    nodes: tuple[MeasuredNode, ...]
    ipc: Ipc | None
    label: str
    marked: BottleneckPath


def measurement_of(runs: Sequence[CountingRun], *, interval_ms: int | None = None) -> Measurement:
    """Return what countings of the same plan gave; ``interval_ms`` cuts the first into slices.

    RecordingError where nothing was counted at all.
    """
    first = runs[0]
    subject, model = first.subject, first.subject.model
    estimators = [estimator_of(run) for run in runs]
    if not any(estimator.counted for estimator in estimators):
        raise RecordingError(
            f"nothing was counted{_because(first)}",
            "measure for longer, or see `stallscope doctor` for what the counters allow",
        )
    found = _of_one(first, estimators[0]) if len(runs) == 1 else _across(runs, estimators)
    return Measurement(
        kind=Kind.MEASURED,
        source=_source(runs),
        cpu="" if model is None else model.cpu,
        title="an unknown CPU" if model is None else model.title,
        whole=1.0 if model is None else model.whole,
        nodes=found.nodes,
        ipc=found.ipc,
        interval_label=found.label,
        bottleneck=found.marked.path,
        bottleneck_why=found.marked.why,
        verified=model is not None and verification_of(model.key).verified,
        slices=() if interval_ms is None else slices_of(first, interval_ms),
        warnings=_warnings(runs, found),
        facts=tuple(_facts(subject.asked, estimators[0], first)),
    )


def _because(run: CountingRun) -> str:
    reasons = list(dict.fromkeys(run.absent.values()))
    if run.windows.groups and not any(group.enabled.any() for group in run.windows.groups):
        reasons.insert(0, "the target did not run while it was observed")
    return f": {reasons[0]}" if reasons else ""


def estimator_of(run: CountingRun, groups: tuple[GroupWindows, ...] | None = None) -> Estimator:
    """Return the estimator of a counting's windows, short ones put together."""
    model = run.subject.model
    chosen = run.windows.groups if groups is None else groups
    cycles = CYCLES if model is None else model.cycles
    return Estimator(tuple(merged(group) for group in chosen), cycles, run.separate)


def estimate_of(run: CountingRun, estimator: Estimator) -> Estimate:
    """Return what turns these windows into nodes."""
    subject = run.subject
    if subject.model is None:
        return UnknownEstimate(estimator, run.absent)
    return TreeEstimate(subject.model, subject.mode, run.plan, estimator, run.absent)


def _of_one(run: CountingRun, estimator: Estimator) -> _Found:
    estimate = estimate_of(run, estimator)
    nodes = estimate.nodes(run.subject.nodes)
    label = ONLY_TURNS
    if run.separate and len(estimator.groups) > 1:
        label = SEPARATE
    elif any(node.value is not None and node.interval is None for node in nodes):
        label = TOO_FEW
    marked = _marked(run, nodes, estimate)
    return _Found((*nodes, *_asked(run, estimator)), estimate.ipc(), label, marked)


def _marked(run: CountingRun, nodes: Sequence[MeasuredNode], estimate: Estimate) -> BottleneckPath:
    model = run.subject.model
    if model is None:
        return BottleneckPath(None, NO_SLOTS)
    if model.slots_per_cycle is None:
        return BottleneckPath(None, NO_WHOLE)
    return mark(nodes, estimate.difference, thresholds=_publishes(model))


def _publishes(model: Model) -> bool:
    """Return whether the vendor says from where on a node matters."""
    return any(node.threshold is not None for node in model.nodes.values())


def _asked(run: CountingRun, estimator: Estimator) -> list[MeasuredNode]:
    """Return a person's own events as metrics beside the tree: counts, scaled where by turns.

    A count is no ratio in which the cycles cancel: it is scaled by time alone.
    """
    by_time = replace(estimator, cycles="")
    return [_asked_node(run, by_time, each) for each in run.subject.asked]


def _asked_node(run: CountingRun, estimator: Estimator, asked: RequestedEvent) -> MeasuredNode:
    event = asked.event
    quantity = Quantity(event, frozenset((event,)), lambda totals: totals[event])
    totals = estimator.totals(estimator.home(quantity.events))
    if event not in totals:
        why = run.absent.get(event, run.plan.uncountable.get(event, f"{event} {STARVED}"))
        return MeasuredNode(asked.spelling, None, None, None, COUNTS, warnings=(why,))
    half = estimator.half_width(estimator.influence(quantity))
    value = totals[event]
    interval = None if half is None else Interval(max(0.0, value - half), value + half)
    return MeasuredNode(asked.spelling, None, None, value, COUNTS, interval=interval)


def _across(runs: Sequence[CountingRun], estimators: Sequence[Estimator]) -> _Found:
    """Return the means of several countings, with intervals of what differs between them."""
    each = [_of_one(run, estimator) for run, estimator in zip(runs, estimators, strict=True)]
    by_name = [{node.name: node for node in found.nodes} for found in each]
    nodes = tuple(
        _mean_node([named[node.name] for named in by_name if node.name in named])
        for node in each[0].nodes
    )

    def difference(one: MeasuredNode, other: MeasuredNode) -> Interval | None:
        pairs = [(named[one.name].value, named[other.name].value) for named in by_name]
        between = [a - b for a, b in pairs if a is not None and b is not None]
        if len(between) < 2:
            return None
        mean, half = mean_interval(between)
        return Interval(mean - half, mean + half)

    marked = each[0].marked
    if runs[0].subject.model is not None and marked.why != NO_WHOLE:
        publishes = _publishes(runs[0].subject.model)
        marked = mark(nodes, difference, thresholds=publishes)
    ipcs = [found.ipc for found in each if found.ipc is not None]
    return _Found(nodes, _mean_ipc(ipcs), f"across {len(runs)} runs", marked)


def _mean_node(nodes: Sequence[MeasuredNode]) -> MeasuredNode:
    """Return the mean of the runs in which a node has a value, and the first one's words."""
    having = [node for node in nodes if node.value is not None]
    if not having:
        return replace(nodes[0], interval=None)
    values = [node.value for node in having if node.value is not None]
    warnings = tuple(dict.fromkeys(text for node in nodes for text in node.warnings))
    if len(having) < len(nodes):
        warnings = (f"has a value in {len(having)} of {len(nodes)} runs", *warnings)
    mean, interval = values[0], None
    if len(values) > 1:
        mean, half = mean_interval(values)
        interval = Interval(mean - half, mean + half)
    over = sum(bool(node.above_threshold) for node in having)
    known = any(node.above_threshold is not None for node in having)
    return replace(
        having[0],
        value=mean,
        above_threshold=2 * over > len(having) if known else None,
        interval=interval,
        warnings=warnings,
        impossible=any(node.impossible for node in having),
    )


def _mean_ipc(ipcs: Sequence[Ipc]) -> Ipc | None:
    if len(ipcs) < 2:
        return ipcs[0] if ipcs else None
    mean, half = mean_interval([ipc.value for ipc in ipcs])
    return Ipc(mean, interval=Interval(max(0.0, mean - half), mean + half))


def slices_of(run: CountingRun, interval_ms: int) -> tuple[Slice, ...]:
    """Return the tree of each so many milliseconds: of whole windows, by their own times."""
    found = []
    for groups in _cut(run.windows.groups, interval_ms / 1000):
        estimator = estimator_of(run, groups)
        estimate = estimate_of(run, estimator)
        nodes = (*estimate.nodes(run.subject.nodes), *_asked(run, estimator))
        begin = min(float(group.start_s.min()) for group in groups if len(group.start_s))
        end = max(float(group.end_s.max()) for group in groups if len(group.end_s))
        found.append(Slice(begin, end, nodes, estimate.ipc()))
    return tuple(found)


def _cut(groups: tuple[GroupWindows, ...], length_s: float) -> Iterator[tuple[GroupWindows, ...]]:
    """Yield the windows of each interval; the first window's end sets the beat of the others."""
    import numpy as np  # noqa: PLC0415 - start-up stays light

    ends = [group.end_s for group in groups if len(group.end_s)]
    if not ends:
        return
    first = min(float(end[0]) for end in ends)
    steps = np.concatenate([np.diff(end) for end in ends])
    half = float(np.median(steps)) / 2 if len(steps) else length_s / 2
    numbers = [np.floor((group.end_s - first + half) / length_s).astype(int) for group in groups]
    for place in np.unique(np.concatenate(numbers)):
        yield tuple(
            group.part(np.flatnonzero(number == place))
            for group, number in zip(groups, numbers, strict=True)
        )


def _source(runs: Sequence[CountingRun]) -> str:
    first = runs[0]
    seconds = sum(run.windows.seconds for run in runs) / len(runs)
    times = f"{len(runs)} runs of {seconds:.2f} s" if len(runs) > 1 else f"{seconds:.2f} s"
    return f"hardware counters, {first.target}, {times}".replace(", ,", ",")


def _warnings(runs: Sequence[CountingRun], found: _Found) -> tuple[str, ...]:
    said = [warning for run in runs for warning in run.warnings]
    model = runs[0].subject.model
    if model is None:
        said.append(NO_SLOTS)
    if found.label == TOO_FEW:
        said.append(f"no intervals: {TOO_FEW.removeprefix('none: ')}: measure for longer")
    return tuple(dict.fromkeys(said))


def _facts(
    asked: Sequence[RequestedEvent], estimator: Estimator, run: CountingRun
) -> Iterable[tuple[str, str]]:
    """Yield how counting went, for the heading."""
    ran = [group for group in estimator.groups if group.running.sum() > 0]
    waiting = [group for group in ran if group.multiplexed]
    if waiting:
        shares = [float(group.running.sum() / group.enabled.sum()) for group in waiting]
        ends = dict.fromkeys(f"{share * 100:.0f}" for share in (min(shares), max(shares)))
        times = f"{' to '.join(ends)} % of the time"
        yield "counted", f"{len(waiting)} of {len(ran)} groups took turns, each counted {times}"
    elif run.separate and len(ran) > 1:
        yield ("counted", f"{len(ran)} groups, one after the other: nothing took turns")
    else:
        yield ("counted", "all the time: nothing took turns")
    if asked:
        yield ("events", ", ".join(each.spelling for each in asked))
