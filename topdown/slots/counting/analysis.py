"""Analysis of counting runs: values with intervals, the marked path, slices of time, warnings."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from stallscope.errors import RecordingError
from stallscope.statistics.intervals import mean_interval
from topdown.slots.counting.bottleneck import BottleneckPath, bottleneck_path
from topdown.slots.counting.counting_run import CountingRun
from topdown.slots.counting.estimation import (
    MIN_WINDOW_S,
    MIN_WINDOWS,
    Estimator,
    SlotQuantity,
    merged,
)
from topdown.slots.counting.requested_events import RequestedEvent
from topdown.slots.counting.tree_estimate import NEVER_SCHEDULED, TreeEstimate
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
from topdown.slots.threshold_path import has_thresholds
from topdown.slots.verification import verification_of

MULTIPLEXING = "multiplexing error only"
SEPARATE = (
    "multiplexing error only, which is 0: each group was counted in a separate run, and a value "
    "from several runs has no interval"
)
TOO_FEW = (
    f"none: a group was counted in fewer than {MIN_WINDOWS} windows of {MIN_WINDOW_S * 1000:.0f} ms"
)
NO_WHOLE = "this CPU counts stalled cycles instead of slots: its values are not shares of one whole"


class Estimate(Protocol):
    """Nodes and IPC estimated from windows, with a CPU model or without."""

    def nodes(self, names: Iterable[str]) -> tuple[MeasuredNode, ...]:
        """Return the nodes' values with their intervals."""

    def difference(self, minuend: MeasuredNode, subtrahend: MeasuredNode) -> Interval | None:
        """Return the interval of the difference of two values, or None without one."""

    def ipc(self) -> Ipc | None:
        """Return instructions per cycle."""


@dataclass(frozen=True, slots=True)
class _Result:
    """The result of one run, or of several."""

    nodes: tuple[MeasuredNode, ...]
    ipc: Ipc | None
    label: str
    bottleneck: BottleneckPath


def measurement_of(runs: Sequence[CountingRun], *, interval_ms: int | None = None) -> Measurement:
    """Return the measurement of runs of one plan; ``interval_ms`` divides the first into slices.

    Raises RecordingError if nothing was counted.
    """
    first = runs[0]
    subject, model = first.subject, first.subject.model
    estimators = [estimator_of(run) for run in runs]
    if not any(estimator.counted for estimator in estimators):
        raise RecordingError(
            f"nothing was counted{_reason(first)}",
            "measure longer, or run `stallscope doctor` to check the counters",
        )
    result = _of_run(first, estimators[0]) if len(runs) == 1 else _across_runs(runs, estimators)
    return Measurement(
        kind=Kind.MEASURED,
        source=_source(runs),
        cpu="" if model is None else model.cpu,
        title="an unknown CPU" if model is None else model.title,
        whole=1.0 if model is None else model.whole,
        nodes=result.nodes,
        ipc=result.ipc,
        interval_label=result.label,
        bottleneck=result.bottleneck.path,
        bottleneck_why=result.bottleneck.why,
        verified=model is not None and verification_of(model.key).verified,
        slices=() if interval_ms is None else slices_of(first, interval_ms),
        warnings=_warnings(runs, result),
        facts=tuple(_facts(subject.requested, estimators[0], first)),
    )


def _reason(run: CountingRun) -> str:
    reasons = list(dict.fromkeys(run.absent.values()))
    if run.windows.groups and not any(group.enabled.any() for group in run.windows.groups):
        reasons.insert(0, "the target did not run while it was observed")
    return f": {reasons[0]}" if reasons else ""


def estimator_of(run: CountingRun, groups: tuple[GroupWindows, ...] | None = None) -> Estimator:
    """Return the estimator of a run's windows, with short windows merged."""
    model = run.subject.model
    chosen = run.windows.groups if groups is None else groups
    cycles = CYCLES if model is None else model.cycles
    return Estimator(tuple(merged(group) for group in chosen), cycles, run.separate)


def estimate_of(run: CountingRun, estimator: Estimator) -> Estimate:
    """Return the estimate of nodes from these windows."""
    subject = run.subject
    if subject.model is None:
        return UnknownEstimate(estimator, run.absent)
    return TreeEstimate(subject.model, subject.mode, run.plan, estimator, run.absent)


def _of_run(run: CountingRun, estimator: Estimator) -> _Result:
    estimate = estimate_of(run, estimator)
    nodes = estimate.nodes(run.subject.nodes)
    label = MULTIPLEXING
    if run.separate and len(estimator.groups) > 1:
        label = SEPARATE
    elif any(node.value is not None and node.interval is None for node in nodes):
        label = TOO_FEW
    path = _bottleneck(run, nodes, estimate)
    return _Result((*nodes, *_requested(run, estimator)), estimate.ipc(), label, path)


def _bottleneck(
    run: CountingRun, nodes: Sequence[MeasuredNode], estimate: Estimate
) -> BottleneckPath:
    model = run.subject.model
    if model is None:
        return BottleneckPath(None, NO_SLOTS)
    if model.slots_per_cycle is None:
        return BottleneckPath(None, NO_WHOLE)
    return bottleneck_path(nodes, estimate.difference, thresholds=has_thresholds(model))


def _requested(run: CountingRun, estimator: Estimator) -> list[MeasuredNode]:
    """Return requested events as metrics beside the tree: counts, scaled if multiplexed.

    A count is not a ratio in which the cycles cancel, so it is scaled by time.
    """
    by_time = replace(estimator, cycles="")
    return [_requested_node(run, by_time, event) for event in run.subject.requested]


def _requested_node(
    run: CountingRun, estimator: Estimator, requested: RequestedEvent
) -> MeasuredNode:
    event = requested.event
    quantity = SlotQuantity(event, frozenset((event,)), lambda totals: totals[event])
    totals = estimator.totals(estimator.groups_of(quantity.events))
    if event not in totals:
        why = run.absent.get(event, run.plan.uncountable.get(event, f"{event} {NEVER_SCHEDULED}"))
        return MeasuredNode(requested.spelling, None, None, None, COUNTS, warnings=(why,))
    half = estimator.half_width(estimator.window_effects(quantity))
    value = totals[event]
    interval = None if half is None else Interval(max(0.0, value - half), value + half)
    return MeasuredNode(requested.spelling, None, None, value, COUNTS, interval=interval)


def _across_runs(runs: Sequence[CountingRun], estimators: Sequence[Estimator]) -> _Result:
    """Return the means of several runs, with intervals of the variation between them."""
    results = [_of_run(run, estimator) for run, estimator in zip(runs, estimators, strict=True)]
    by_name = [{node.name: node for node in result.nodes} for result in results]
    nodes = tuple(
        _mean_node([named[node.name] for named in by_name if node.name in named])
        for node in results[0].nodes
    )

    def difference(minuend: MeasuredNode, subtrahend: MeasuredNode) -> Interval | None:
        pairs = [(named[minuend.name].value, named[subtrahend.name].value) for named in by_name]
        differences = [a - b for a, b in pairs if a is not None and b is not None]
        if len(differences) < 2:
            return None
        mean, half = mean_interval(differences)
        return Interval(mean - half, mean + half)

    path = results[0].bottleneck
    model = runs[0].subject.model
    if model is not None and path.why != NO_WHOLE:
        path = bottleneck_path(nodes, difference, thresholds=has_thresholds(model))
    ipcs = [result.ipc for result in results if result.ipc is not None]
    return _Result(nodes, _mean_ipc(ipcs), f"across {len(runs)} runs", path)


def _mean_node(nodes: Sequence[MeasuredNode]) -> MeasuredNode:
    """Return the mean over the runs in which a node has a value."""
    measured = [node for node in nodes if node.value is not None]
    if not measured:
        return replace(nodes[0], interval=None)
    values = [node.value for node in measured if node.value is not None]
    warnings = tuple(dict.fromkeys(text for node in nodes for text in node.warnings))
    if len(measured) < len(nodes):
        warnings = (f"has a value in {len(measured)} of {len(nodes)} runs", *warnings)
    mean, interval = values[0], None
    if len(values) > 1:
        mean, half = mean_interval(values)
        interval = Interval(mean - half, mean + half)
    above = sum(bool(node.above_threshold) for node in measured)
    has_threshold = any(node.above_threshold is not None for node in measured)
    return replace(
        measured[0],
        value=mean,
        above_threshold=2 * above > len(measured) if has_threshold else None,
        interval=interval,
        warnings=warnings,
        impossible=any(node.impossible for node in measured),
    )


def _mean_ipc(ipcs: Sequence[Ipc]) -> Ipc | None:
    if len(ipcs) < 2:
        return ipcs[0] if ipcs else None
    mean, half = mean_interval([ipc.value for ipc in ipcs])
    return Ipc(mean, interval=Interval(max(0.0, mean - half), mean + half))


def slices_of(run: CountingRun, interval_ms: int) -> tuple[Slice, ...]:
    """Return the tree of each interval, made of whole windows with their own times."""
    slices = []
    for groups in _interval_groups(run.windows.groups, interval_ms / 1000):
        estimator = estimator_of(run, groups)
        estimate = estimate_of(run, estimator)
        nodes = (*estimate.nodes(run.subject.nodes), *_requested(run, estimator))
        start = min(float(group.start_s.min()) for group in groups if len(group.start_s))
        end = max(float(group.end_s.max()) for group in groups if len(group.end_s))
        slices.append(Slice(start, end, nodes, estimate.ipc()))
    return tuple(slices)


def _interval_groups(
    groups: tuple[GroupWindows, ...], length_s: float
) -> Iterator[tuple[GroupWindows, ...]]:
    """Yield the windows of each interval; intervals are aligned to the end of the first window."""
    import numpy as np  # noqa: PLC0415 - start-up stays light

    ends = [group.end_s for group in groups if len(group.end_s)]
    if not ends:
        return
    first = min(float(end[0]) for end in ends)
    steps = np.concatenate([np.diff(end) for end in ends])
    half = float(np.median(steps)) / 2 if len(steps) else length_s / 2
    numbers = [np.floor((group.end_s - first + half) / length_s).astype(int) for group in groups]
    for interval in np.unique(np.concatenate(numbers)):
        yield tuple(
            group.part(np.flatnonzero(number == interval))
            for group, number in zip(groups, numbers, strict=True)
        )


def _source(runs: Sequence[CountingRun]) -> str:
    first = runs[0]
    seconds = sum(run.windows.seconds for run in runs) / len(runs)
    times = f"{len(runs)} runs of {seconds:.2f} s" if len(runs) > 1 else f"{seconds:.2f} s"
    return f"hardware counters, {first.target}, {times}".replace(", ,", ",")


def _warnings(runs: Sequence[CountingRun], result: _Result) -> tuple[str, ...]:
    warnings = [warning for run in runs for warning in run.warnings]
    model = runs[0].subject.model
    if model is None:
        warnings.append(NO_SLOTS)
    if result.label == TOO_FEW:
        warnings.append(f"no intervals: {TOO_FEW.removeprefix('none: ')}; measure longer")
    return tuple(dict.fromkeys(warnings))


def _facts(
    requested: Sequence[RequestedEvent], estimator: Estimator, run: CountingRun
) -> Iterable[tuple[str, str]]:
    """Yield how the groups were counted, for the heading."""
    counted = [group for group in estimator.groups if group.running.sum() > 0]
    multiplexed = [group for group in counted if group.multiplexed]
    if multiplexed:
        shares = [float(group.running.sum() / group.enabled.sum()) for group in multiplexed]
        ends = dict.fromkeys(f"{share * 100:.0f}" for share in (min(shares), max(shares)))
        times = f"{' to '.join(ends)} % of the time"
        groups = f"{len(multiplexed)} of {len(counted)} groups"
        yield "counted", f"{groups} were multiplexed and counted {times}"
    elif run.separate and len(counted) > 1:
        yield ("counted", f"{len(counted)} groups, one after the other, without multiplexing")
    else:
        yield ("counted", "all the time, without multiplexing")
    if requested:
        yield ("events", ", ".join(event.spelling for event in requested))
