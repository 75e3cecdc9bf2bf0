"""A CPU without a model: instructions per cycle, and stalled cycles where the kernel has them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from topdown.slots.counting.estimation import Estimator, Quantity, difference
from topdown.slots.counting.plan import Encoding, EventSet, Plan
from topdown.slots.counting.tree_estimate import STARVED, ratio_ipc
from topdown.slots.measurement import Interval, Ipc, MeasuredNode

CYCLES = "cycles"
INSTRUCTIONS = "instructions"
# PERF_TYPE_HARDWARE's events (linux/perf_event.h), which the kernel encodes for its CPU.
_GENERIC = {
    CYCLES: Encoding(0, 0),
    INSTRUCTIONS: Encoding(0, 1),
    "stalled-cycles-frontend": Encoding(0, 7),
    "stalled-cycles-backend": Encoding(0, 8),
}
NODES = {
    "frontend_stalled_cycles": "stalled-cycles-frontend",
    "backend_stalled_cycles": "stalled-cycles-backend",
}
NO_SLOTS = "this CPU has no model here: its slots cannot be told apart, only stalled cycles"


def plan_of_unknown(asked: Mapping[str, Encoding]) -> Plan:
    """Return what to count on a CPU that has no model, and a person's own events."""
    sets = [EventSet("IPC", (INSTRUCTIONS, CYCLES))]
    sets += [EventSet(node, (event, CYCLES)) for node, event in NODES.items()]
    sets += [EventSet(name, (name,)) for name in asked if name not in _GENERIC]
    return Plan(tuple(sets), MappingProxyType({**_GENERIC, **asked}), MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class UnknownEstimate:
    """What the windows of a CPU without a model give."""

    estimator: Estimator
    absent: Mapping[str, str]

    def nodes(self, wanted: Iterable[str]) -> tuple[MeasuredNode, ...]:
        """Return the shares of cycles that were stalled; there is nothing else, whatever wanted."""
        del wanted
        return tuple(self._node(name) for name in NODES)

    def _node(self, name: str) -> MeasuredNode:
        event = NODES[name]
        quantity = _share(name)
        totals = self.estimator.totals(self.estimator.home(quantity.events))
        if event not in totals or not totals.get(CYCLES):
            why = self.absent.get(event, f"{event} {STARVED}")
            return MeasuredNode(name, 1, None, None, "cycles", warnings=(why,))
        value = quantity.function(totals)
        half = self.estimator.half_width(self.estimator.influence(quantity))
        interval = None
        if half is not None and not self.estimator.spans_runs(quantity.events):
            interval = Interval(max(0.0, value - half), value + half)
        wrong = value > 1
        warnings = (f"impossible: {event} exceeds {CYCLES}",) if wrong else ()
        return MeasuredNode(
            name, 1, None, value, "cycles", None, interval, warnings, impossible=wrong
        )

    def difference(self, one: MeasuredNode, other: MeasuredNode) -> Interval | None:
        """Return the interval of one share less another; None where there is none."""
        if one.value is None or other.value is None:
            return None
        moved = [self.estimator.influence(_share(node.name)) for node in (one, other)]
        half = self.estimator.half_width(difference(*moved))
        between = one.value - other.value
        return None if half is None else Interval(between - half, between + half)

    def ipc(self) -> Ipc | None:
        """Return instructions per cycle."""
        return ratio_ipc(self.estimator, INSTRUCTIONS, CYCLES)


def _share(node: str) -> Quantity:
    event = NODES[node]
    return Quantity(node, frozenset((event, CYCLES)), lambda known: known[event] / known[CYCLES])
