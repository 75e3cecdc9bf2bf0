"""CPUs without a model: instructions per cycle, and stalled cycles if the kernel counts them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from topdown.slots.counting.estimation import Estimator, SlotQuantity, difference
from topdown.slots.counting.plan import CountingPlan, Encoding, EventSet
from topdown.slots.counting.tree_estimate import NEVER_SCHEDULED, ratio_ipc
from topdown.slots.measurement import Interval, Ipc, MeasuredNode

CYCLES = "cycles"
INSTRUCTIONS = "instructions"
# PERF_TYPE_HARDWARE events (linux/perf_event.h), which the kernel encodes for the CPU.
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
NO_SLOTS = "there is no model of this CPU: stalled cycles are shown instead of slots"


def plan_of_unknown(requested: Mapping[str, Encoding]) -> CountingPlan:
    """Return the plan for a CPU without a model, with requested events."""
    sets = [EventSet("IPC", (INSTRUCTIONS, CYCLES))]
    sets += [EventSet(node, (event, CYCLES)) for node, event in NODES.items()]
    sets += [EventSet(name, (name,)) for name in requested if name not in _GENERIC]
    return CountingPlan(
        tuple(sets), MappingProxyType({**_GENERIC, **requested}), MappingProxyType({})
    )


@dataclass(frozen=True, slots=True)
class UnknownEstimate:
    """The estimate from the windows of a CPU without a model."""

    estimator: Estimator
    absent: Mapping[str, str]

    def nodes(self, names: Iterable[str]) -> tuple[MeasuredNode, ...]:
        """Return the shares of stalled cycles, which are all nodes of an unknown CPU."""
        del names
        return tuple(self._node(name) for name in NODES)

    def _node(self, name: str) -> MeasuredNode:
        event = NODES[name]
        quantity = _share(name)
        totals = self.estimator.totals(self.estimator.groups_of(quantity.events))
        if event not in totals or not totals.get(CYCLES):
            why = self.absent.get(event, f"{event} {NEVER_SCHEDULED}")
            return MeasuredNode(name, 1, None, None, "cycles", warnings=(why,))
        value = quantity.function(totals)
        half = self.estimator.half_width(self.estimator.window_effects(quantity))
        interval = None
        if half is not None and not self.estimator.spans_runs(quantity.events):
            interval = Interval(max(0.0, value - half), value + half)
        impossible = value > 1
        warnings = (f"impossible: {event} exceeds {CYCLES}",) if impossible else ()
        return MeasuredNode(
            name, 1, None, value, "cycles", None, interval, warnings, impossible=impossible
        )

    def difference(self, minuend: MeasuredNode, subtrahend: MeasuredNode) -> Interval | None:
        """Return the interval of the difference of two shares, or None without one."""
        if minuend.value is None or subtrahend.value is None:
            return None
        nodes = (minuend, subtrahend)
        effects = [self.estimator.window_effects(_share(node.name)) for node in nodes]
        half = self.estimator.half_width(difference(*effects))
        value = minuend.value - subtrahend.value
        return None if half is None else Interval(value - half, value + half)

    def ipc(self) -> Ipc | None:
        """Return instructions per cycle."""
        return ratio_ipc(self.estimator, INSTRUCTIONS, CYCLES)


def _share(node: str) -> SlotQuantity:
    event = NODES[node]
    return SlotQuantity(
        node, frozenset((event, CYCLES)), lambda known: known[event] / known[CYCLES]
    )
