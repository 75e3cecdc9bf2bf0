"""A tree of slots estimated from windows: each node from the group that has all it asks for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from topdown.slots.counting.counting_mode import CountingMode
from topdown.slots.counting.estimation import Estimator, Influence, Quantity, difference
from topdown.slots.counting.plan import Plan, answers, counted_as, formulas_for
from topdown.slots.counts import Counts
from topdown.slots.diagnosis import impossible
from topdown.slots.evaluation import Formulas, NodeValue, evaluate
from topdown.slots.expressions import names
from topdown.slots.measured_nodes import in_reading_order, unit_of
from topdown.slots.measurement import Interval, Ipc, MeasuredNode
from topdown.slots.model import CLOCKS, Model
from topdown.slots.thresholds import holds

NOT_TOGETHER = "its events took turns in different groups: what the program did in between shows"
ACROSS_RUNS = "its events were counted in different runs, whose difference no interval holds"
UNCOUNTED = "was not counted"
STARVED = "was never counted: its group had no turn at the counters"


@dataclass(frozen=True)
class TreeEstimate:
    """The nodes of a model that a plan counted, as the windows give them.

    Not slotted: what several nodes need is computed once.
    """

    model: Model
    mode: CountingMode
    plan: Plan
    estimator: Estimator
    absent: Mapping[str, str] = field(default_factory=dict)  # why events could not open

    @cached_property
    def _formulas(self) -> Formulas:
        return formulas_for(self.model, self.mode)

    @cached_property
    def _influences(self) -> dict[str, Influence]:
        return {}

    @cached_property
    def _trees(self) -> dict[tuple[tuple[str, int], ...], Mapping[str, NodeValue]]:
        return {}

    def _events(self, node: str) -> frozenset[str]:
        """Return what was to be counted for a node, without what its sums can do without."""
        optional = self._formulas.optional.get(node, frozenset())
        return frozenset(
            counted_as(self.model, self.mode, event)
            for event in self._formulas.events[node]
            if event not in optional or event in self.estimator.counted
        )

    def _values(self, totals: Mapping[str, float]) -> dict[str, float]:
        """Return totals under all names that the model has for them, clocks among them."""
        known = answers(self.model.key, perf_metrics=self.mode.perf_metrics)
        values = {name: totals[event] for name, event in known.items() if event in totals}
        return values | self._clocks

    @cached_property
    def _clocks(self) -> dict[str, float]:
        """Return what clocks said over all the time; nothing where none was counted."""
        rate = self.estimator.rate_per_s("TSC")
        seconds = self.estimator.seconds
        return {} if rate is None else {"TSC": rate * seconds, "DURATION_TIME": seconds}

    def _absent(self) -> dict[str, str]:
        """Return why events have no count, under the model's names."""
        reasons = dict(self.plan.uncountable)
        in_groups = {event for group in self.estimator.groups for event in group.events}
        for name in self.model.events:
            counted = counted_as(self.model, self.mode, name)
            if counted in self.absent:
                reasons[name] = self.absent[counted]
            elif counted in self.plan.events and counted not in self.estimator.counted:
                reasons[name] = f"{name} {STARVED if counted in in_groups else UNCOUNTED}"
        if "TSC" in self.absent:
            reasons |= dict.fromkeys(CLOCKS, self.absent["TSC"])
        return reasons

    def _tree(self, home: Mapping[str, int]) -> Mapping[str, NodeValue]:
        """Return all nodes by the counts of these groups; asked for again, the same."""
        key = tuple(sorted(home.items()))
        if key not in self._trees:
            counts = Counts(
                values=self._values(self.estimator.totals(home)),
                absent=self._absent(),
                running={},
                unknown=(),
                smt=self.mode.smt,
                ebs_mode=self.mode.ebs_mode,
                perf_metrics=self.mode.perf_metrics,
            )
            self._trees[key] = evaluate(self.model, counts).nodes
        return self._trees[key]

    def values(self, wanted: Iterable[str]) -> dict[str, NodeValue]:
        """Return the nodes' values, with thresholds held against one another's values."""
        found = {}
        for name in wanted:
            home = self.estimator.home(self._events(name))
            found[name] = self._tree(home)[name]
        known = {name: node.value for name, node in found.items() if node.value is not None}
        for name, node in found.items():
            condition = self._formulas.thresholds.get(name)
            if condition is not None and node.value is not None:
                above = holds(condition, self._with_ancestors(condition, known))
                found[name] = replace(node, above_threshold=above)
        return found

    def _with_ancestors(
        self, condition: tuple[tuple[tuple[str, bool, float], ...], ...], known: dict[str, float]
    ) -> dict[str, float]:
        """Return the known values with those that a threshold turns on besides."""
        more = {}
        for name in {name for alternative in condition for name, _, _ in alternative}:
            if name not in known:
                value = self._tree(self.estimator.home(self._events(name)))[name].value
                if value is not None:
                    more[name] = value
        return known | more

    def nodes(self, wanted: Iterable[str]) -> tuple[MeasuredNode, ...]:
        """Return the nodes with their intervals, parents first."""
        values = self.values(wanted).values()
        return tuple(self._measured(value) for value in in_reading_order(values))

    def _measured(self, value: NodeValue) -> MeasuredNode:
        warnings = list(value.warnings)
        interval = None
        events = self._events(value.name)
        places = set(self.estimator.home(events).values())
        if value.value is not None:
            interval = self._interval(value.name, value.value)
            if self.estimator.spans_runs(events):
                warnings.append(ACROSS_RUNS)
            elif len(places) > 1 and self.estimator.waited(places):
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
        """Return a value's interval, within what the value can be at all."""
        if self.estimator.spans_runs(self._events(name)):
            return None
        half = self.estimator.half_width(self.influence(name))
        if half is None:
            return None
        low, high = value - half, value + half
        node = self.model.nodes[name]
        if not impossible(node, value, self.model.whole):
            low = max(low, min(0.0, value))
            if node.level is not None:
                high = min(high, max(self.model.whole, value))
        return Interval(low, high)

    def influence(self, name: str) -> Influence:
        """Return what each window moves a node by."""
        if name not in self._influences:
            quantity = Quantity(name, self._events(name), lambda totals: self._node(name, totals))
            self._influences[name] = self.estimator.influence(quantity)
        return self._influences[name]

    def _node(self, name: str, totals: Mapping[str, float]) -> float:
        """Return one node of these totals; KeyError or ArithmeticError where it has no value."""
        known = {**dict.fromkeys(self.model.optional, 0.0), **self._values(totals)}
        for step in self._steps(name):
            known[step] = self._formulas.functions[step](known)
        return known[name]

    def _steps(self, name: str) -> tuple[str, ...]:
        if name not in self._orders:
            reached, waiting = {name}, [name]
            while waiting:
                for asked in names(self._formulas.trees[waiting.pop()]):
                    if asked in self._formulas.trees and asked not in reached:
                        reached.add(asked)
                        waiting.append(asked)
            self._orders[name] = tuple(each for each in self._formulas.functions if each in reached)
        return self._orders[name]

    @cached_property
    def _orders(self) -> dict[str, tuple[str, ...]]:
        return {}

    def difference(self, one: MeasuredNode, other: MeasuredNode) -> Interval | None:
        """Return the interval of one node's value less another's; None where there is none."""
        if one.value is None or other.value is None:
            return None
        if self.estimator.spans_runs(self._events(one.name) | self._events(other.name)):
            return None
        moved = difference(self.influence(one.name), self.influence(other.name))
        half = self.estimator.half_width(moved)
        between = one.value - other.value
        return None if half is None else Interval(between - half, between + half)

    def ipc(self) -> Ipc | None:
        """Return instructions per cycle, of the group that counted both."""
        counted = [
            counted_as(self.model, self.mode, name)
            for name in (self.model.instructions, self.model.cycles)
        ]
        return ratio_ipc(self.estimator, counted[0], counted[1])


def ratio_ipc(estimator: Estimator, instructions: str, cycles: str) -> Ipc | None:
    """Return instructions per cycle with its interval; None where either was not counted."""
    quantity = Quantity(
        "ipc", frozenset((instructions, cycles)), lambda known: known[instructions] / known[cycles]
    )
    totals = estimator.totals(estimator.home(quantity.events))
    if instructions not in totals or not totals.get(cycles):
        return None
    value = quantity.function(totals)
    half = None
    if not estimator.spans_runs(quantity.events):
        half = estimator.half_width(estimator.influence(quantity))
    interval = None if half is None else Interval(max(0.0, value - half), value + half)
    return Ipc(value, totals[instructions], totals[cycles], interval)
