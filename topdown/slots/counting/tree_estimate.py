"""A tree of slots estimated from windows, each node from the groups with its events."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from topdown.slots.counting.counting_mode import CountingMode
from topdown.slots.counting.estimation import Estimator, SlotQuantity, WindowEffects, difference
from topdown.slots.counting.plan import CountingPlan, counted_as, counted_names, formulas_for
from topdown.slots.counts import Counts
from topdown.slots.diagnosis import impossible
from topdown.slots.evaluation import Formulas, NodeValue, evaluate
from topdown.slots.expressions import names
from topdown.slots.measured_nodes import in_reading_order, unit_of
from topdown.slots.measurement import Interval, Ipc, MeasuredNode
from topdown.slots.model import CLOCKS, Model
from topdown.slots.thresholds import holds

NOT_TOGETHER = "its events were multiplexed in different groups, at different times"
ACROSS_RUNS = "its events were counted in different runs, so that there is no interval"
UNCOUNTED = "was not counted"
NEVER_SCHEDULED = "was not counted: its group was never scheduled on the counters"


@dataclass(frozen=True)
class TreeEstimate:
    """The nodes of a model, estimated from the windows of a plan.

    Not slotted: results that several nodes need are cached.
    """

    model: Model
    mode: CountingMode
    plan: CountingPlan
    estimator: Estimator
    absent: Mapping[str, str] = field(default_factory=dict)  # reasons of missing events

    @cached_property
    def _formulas(self) -> Formulas:
        return formulas_for(self.model, self.mode)

    @cached_property
    def _effects(self) -> dict[str, WindowEffects]:
        return {}

    @cached_property
    def _trees(self) -> dict[tuple[tuple[str, int], ...], Mapping[str, NodeValue]]:
        return {}

    def _events(self, node: str) -> frozenset[str]:
        """Return the events of a node, without optional ones that were not counted."""
        optional = self._formulas.optional.get(node, frozenset())
        return frozenset(
            counted_as(self.model, self.mode, event)
            for event in self._formulas.events[node]
            if event not in optional or event in self.estimator.counted
        )

    def _values(self, totals: Mapping[str, float]) -> dict[str, float]:
        """Return totals under all names of the model, including clocks."""
        names = counted_names(self.model.key, perf_metrics=self.mode.perf_metrics)
        values = {name: totals[event] for name, event in names.items() if event in totals}
        return values | self._clocks

    @cached_property
    def _clocks(self) -> dict[str, float]:
        """Return the clocks of the whole measurement; empty if none was counted."""
        rate = self.estimator.rate_per_s("TSC")
        seconds = self.estimator.seconds
        return {} if rate is None else {"TSC": rate * seconds, "DURATION_TIME": seconds}

    def _absent(self) -> dict[str, str]:
        """Return the reasons of missing counts, under the model's names."""
        reasons = dict(self.plan.uncountable)
        in_groups = {event for group in self.estimator.groups for event in group.events}
        for name in self.model.events:
            counted = counted_as(self.model, self.mode, name)
            if counted in self.absent:
                reasons[name] = self.absent[counted]
            elif counted in self.plan.events and counted not in self.estimator.counted:
                reasons[name] = f"{name} {NEVER_SCHEDULED if counted in in_groups else UNCOUNTED}"
        if "TSC" in self.absent:
            reasons |= dict.fromkeys(CLOCKS, self.absent["TSC"])
        return reasons

    def _tree(self, groups: Mapping[str, int]) -> Mapping[str, NodeValue]:
        """Return all nodes from the counts of these groups, cached."""
        key = tuple(sorted(groups.items()))
        if key not in self._trees:
            counts = Counts(
                values=self._values(self.estimator.totals(groups)),
                absent=self._absent(),
                running={},
                unknown=(),
                smt=self.mode.smt,
                ebs_mode=self.mode.ebs_mode,
                perf_metrics=self.mode.perf_metrics,
            )
            self._trees[key] = evaluate(self.model, counts).nodes
        return self._trees[key]

    def values(self, names: Iterable[str]) -> dict[str, NodeValue]:
        """Return the nodes' values, with thresholds evaluated across nodes."""
        nodes = {}
        for name in names:
            groups = self.estimator.groups_of(self._events(name))
            nodes[name] = self._tree(groups)[name]
        values = {name: node.value for name, node in nodes.items() if node.value is not None}
        for name, node in nodes.items():
            condition = self._formulas.thresholds.get(name)
            if condition is not None and node.value is not None:
                above = holds(condition, self._with_ancestors(condition, values))
                nodes[name] = replace(node, above_threshold=above)
        return nodes

    def _with_ancestors(
        self, condition: tuple[tuple[tuple[str, bool, float], ...], ...], known: dict[str, float]
    ) -> dict[str, float]:
        """Return the known values and those of other nodes in a threshold."""
        additional = {}
        for name in {name for alternative in condition for name, _, _ in alternative}:
            if name not in known:
                value = self._tree(self.estimator.groups_of(self._events(name)))[name].value
                if value is not None:
                    additional[name] = value
        return known | additional

    def nodes(self, names: Iterable[str]) -> tuple[MeasuredNode, ...]:
        """Return the nodes with their intervals, parents first."""
        values = self.values(names).values()
        return tuple(self._measured(value) for value in in_reading_order(values))

    def _measured(self, value: NodeValue) -> MeasuredNode:
        warnings = list(value.warnings)
        interval = None
        events = self._events(value.name)
        groups = set(self.estimator.groups_of(events).values())
        if value.value is not None:
            interval = self._interval(value.name, value.value)
            if self.estimator.spans_runs(events):
                warnings.append(ACROSS_RUNS)
            elif len(groups) > 1 and self.estimator.any_multiplexed(groups):
                warnings.append(NOT_TOGETHER)
        return MeasuredNode(
            name=value.name,
            level=value.level,
            parent=value.parent,
            value=value.value,
            unit=unit_of(self.model, value.name),
            above_threshold=value.above_threshold,
            interval=interval,
            warnings=tuple(warnings),
            impossible=value.impossible,
        )

    def _interval(self, name: str, value: float) -> Interval | None:
        """Return a value's interval, clipped to possible values."""
        if self.estimator.spans_runs(self._events(name)):
            return None
        half = self.estimator.half_width(self.window_effects(name))
        if half is None:
            return None
        low, high = value - half, value + half
        node = self.model.nodes[name]
        if not impossible(node, value, self.model.whole):
            low = max(low, min(0.0, value))
            if node.level is not None:
                high = min(high, max(self.model.whole, value))
        return Interval(low, high)

    def window_effects(self, name: str) -> WindowEffects:
        """Return the effect of each window on a node."""
        if name not in self._effects:
            quantity = SlotQuantity(
                name, self._events(name), lambda totals: self._node(name, totals)
            )
            self._effects[name] = self.estimator.window_effects(quantity)
        return self._effects[name]

    def _node(self, name: str, totals: Mapping[str, float]) -> float:
        """Return a node's value. Raises KeyError or ArithmeticError if it has none."""
        values = {**dict.fromkeys(self.model.optional, 0.0), **self._values(totals)}
        for step in self._steps(name):
            values[step] = self._formulas.functions[step](values)
        return values[name]

    def _steps(self, name: str) -> tuple[str, ...]:
        if name not in self._orders:
            reached, pending = {name}, [name]
            while pending:
                for used in names(self._formulas.trees[pending.pop()]):
                    if used in self._formulas.trees and used not in reached:
                        reached.add(used)
                        pending.append(used)
            self._orders[name] = tuple(step for step in self._formulas.functions if step in reached)
        return self._orders[name]

    @cached_property
    def _orders(self) -> dict[str, tuple[str, ...]]:
        return {}

    def difference(self, minuend: MeasuredNode, subtrahend: MeasuredNode) -> Interval | None:
        """Return the interval of the difference of two nodes, or None without one."""
        if minuend.value is None or subtrahend.value is None:
            return None
        if self.estimator.spans_runs(self._events(minuend.name) | self._events(subtrahend.name)):
            return None
        effects = difference(
            self.window_effects(minuend.name), self.window_effects(subtrahend.name)
        )
        half = self.estimator.half_width(effects)
        value = minuend.value - subtrahend.value
        return None if half is None else Interval(value - half, value + half)

    def ipc(self) -> Ipc | None:
        """Return instructions per cycle, from the group that counted both."""
        counted = [
            counted_as(self.model, self.mode, name)
            for name in (self.model.instructions, self.model.cycles)
        ]
        return ratio_ipc(self.estimator, counted[0], counted[1])


def ratio_ipc(estimator: Estimator, instructions: str, cycles: str) -> Ipc | None:
    """Return instructions per cycle with its interval, or None if either was not counted."""
    quantity = SlotQuantity(
        "ipc", frozenset((instructions, cycles)), lambda known: known[instructions] / known[cycles]
    )
    totals = estimator.totals(estimator.groups_of(quantity.events))
    if instructions not in totals or not totals.get(cycles):
        return None
    value = quantity.function(totals)
    half = None
    if not estimator.spans_runs(quantity.events):
        half = estimator.half_width(estimator.window_effects(quantity))
    interval = None if half is None else Interval(max(0.0, value - half), value + half)
    return Ipc(value, totals[instructions], totals[cycles], interval)
