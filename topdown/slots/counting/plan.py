"""The plan of a counting run: event sets and their encodings.

A set contains the events of one formula. If all formulas of a node need more events than a core has
counters, the node's own formula is one set and the nodes it depends on are others. The collector
and the kernel decide which sets share a group.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from topdown.slots.counting.counting_mode import CountingMode
from topdown.slots.evaluation import Formulas, formulas_of
from topdown.slots.event_names import UNLIKE
from topdown.slots.expressions import names
from topdown.slots.model import CLOCKS, Model, load

SLOTS = "TOPDOWN.SLOTS:perf_metrics"
FIELD = "PERF_METRICS."
TSC = "TSC"
# TOPDOWN.SLOTS_P: event 0xa4, umask 1 (Intel perfmon, core events of Ice Lake and later).
_SLOTS_ON_GENERAL_COUNTER = "0x1a4"
# Fixed counters: these events take no general counter.
_FIXED = ("INST_RETIRED.ANY", "CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.REF_TSC", "CPU_CYCLES")
# General counters per core, or per thread if two threads share them (Intel SDM 3, chapter 20; AMD
# PPR of family 19h; Arm TRMs). They only limit the size of sets; the kernel schedules groups.
_COUNTERS = {"old": 8, "old with two threads": 4, "Intel": 8, "other": 6}
NO_LATENCY = "a mean latency, which only precise sampling reports"
NO_TSC = "the kernel has no device that reads the time stamp counter (msr)"


@dataclass(frozen=True, slots=True)
class Encoding:
    """The arguments of perf_event_open(2) for an event, or a ``name`` that libpfm4 encodes."""

    event_type: int = 0
    config: int = 0
    config1: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class EventSet:
    """Events to count together; ``leader`` must lead their group, empty for any event."""

    name: str
    events: tuple[str, ...]
    leader: str = ""


@dataclass(frozen=True, slots=True)
class CountingPlan:
    """Event sets and encodings; ``uncountable`` holds reasons of events that cannot be counted."""

    sets: tuple[EventSet, ...]
    events: Mapping[str, Encoding]
    uncountable: Mapping[str, str]

    def only(self, events: Iterable[str]) -> "CountingPlan":
        """Return a plan with a single set of these events."""
        chosen = frozenset(events)
        names = tuple(name for name in self.events if name in chosen)
        leader = SLOTS if SLOTS in names else ""
        return CountingPlan(
            (EventSet("group", names, leader),),
            MappingProxyType({name: self.events[name] for name in names}),
            self.uncountable,
        )


def formulas_for(model: Model, mode: CountingMode) -> Formulas:
    """Return a model's formulas for a counting mode."""
    return formulas_of(
        model.key, smt=mode.smt, ebs_mode=mode.ebs_mode, perf_metrics=mode.perf_metrics
    )


def nodes_down_to(model: Model, level: int | None) -> tuple[str, ...]:
    """Return node names down to a level; None returns all nodes and metrics."""
    return tuple(
        node.name
        for node in model.nodes.values()
        if level is None or (node.level is not None and node.level <= level)
    )


def plan_of(
    model: Model,
    mode: CountingMode,
    nodes: Iterable[str],
    *,
    requested: Mapping[str, Encoding] = MappingProxyType({}),
    broken: Mapping[str, str] = MappingProxyType({}),
) -> CountingPlan:
    """Return the plan for these nodes, instructions per cycle, and requested events.

    ``broken`` holds reasons of events that failed a self-test; they are not counted.
    """
    node_names = tuple(nodes)
    formulas = formulas_for(model, mode)
    uncountable = dict(broken)
    events: dict[str, Encoding] = {}
    for name in _required_events(model, formulas, node_names):
        reason = broken.get(name) or _uncountable_reason(name, mode)
        if reason:
            uncountable[name] = reason
        else:
            counted = counted_as(model, mode, name)
            events[counted] = encoding_of(model, mode, counted)
    sets = []
    for name, needed in _event_sets(model, mode, formulas, node_names):
        counted_names = frozenset(counted_as(model, mode, event) for event in needed)
        sets.append(EventSet(name, _with_cycles(model, counted_names, events)))
    if TSC in events:
        sets.append(EventSet(TSC, (TSC,)))
    events |= requested
    for name in requested:
        is_field = name.startswith(FIELD)
        if is_field:
            events.setdefault(SLOTS, encoding_of(model, mode, SLOTS))
        sets.append(EventSet(name, (SLOTS, name) if is_field else (name,)))
    return CountingPlan(
        _with_leaders(_without_subsets(sets)), MappingProxyType(events), uncountable
    )


def _required_events(model: Model, formulas: Formulas, nodes: Iterable[str]) -> list[str]:
    """Return all required events, in the model's order."""
    required = {model.instructions, model.cycles}
    for name in nodes:
        required |= formulas.events[name]
    if any(name.startswith(FIELD) for name in required):
        required.add(SLOTS)
    ordered = [name for name in model.events if name in required]
    return ordered + [name for name in CLOCKS if name in required]


def counted_as(model: Model, mode: CountingMode, name: str) -> str:
    """Return the event to count for a name: the first of several names with one encoding.

    Both clocks are derived from the rate of the time stamp counter.
    """
    return counted_names(model.key, perf_metrics=mode.perf_metrics).get(name, name)


@cache
def counted_names(key: str, *, perf_metrics: bool) -> Mapping[str, str]:
    """Return the event to count for each name in a model's formulas."""
    events = load(key).events
    first: dict[str, str] = {}
    names = dict.fromkeys(CLOCKS, TSC)
    for name, code in events.items():
        distinct = name == SLOTS or name.endswith(UNLIKE)
        names[name] = name if distinct else first.setdefault(code, name)
    if perf_metrics and "TOPDOWN.SLOTS" in events:
        names["TOPDOWN.SLOTS"] = SLOTS
    return MappingProxyType(names)


def _uncountable_reason(name: str, mode: CountingMode) -> str:
    if name.endswith(":retire_latency"):
        return f"{name}: {NO_LATENCY}"
    if name in CLOCKS and mode.msr_type is None:
        return f"{name}: {NO_TSC}"
    if name.startswith(FIELD) and name not in mode.metrics:
        return f"{name}: this kernel does not offer this field of the slots register"
    return ""


def encoding_of(model: Model, mode: CountingMode, name: str) -> Encoding:
    """Return the encoding of a model's event, or of the time stamp counter."""
    if name == TSC:
        return Encoding(mode.msr_type or 0, 0)
    config, _, extra = model.events[name].partition("/")
    if name == "TOPDOWN.SLOTS":  # the fixed counter exists only with the register
        config = _SLOTS_ON_GENERAL_COUNTER
    return Encoding(mode.event_type, int(config, 16), int(extra or "0", 16))


def counters_of(model: Model, mode: CountingMode) -> int:
    """Return the number of general counters that a set may use."""
    if "ebs_mode" in model.variants:
        return _COUNTERS["old with two threads" if mode.smt else "old"]
    return _COUNTERS["Intel" if "generic" in model.variants else "other"]


def _event_sets(
    model: Model, mode: CountingMode, formulas: Formulas, nodes: Iterable[str]
) -> list[tuple[str, frozenset[str]]]:
    """Return the names and events of sets for IPC and for each node."""
    max_counters = counters_of(model, mode)
    sets = [("IPC", frozenset((model.instructions, model.cycles)))]
    pending, seen = list(nodes), set()
    while pending:
        name = pending.pop(0)
        if name in seen:
            continue
        seen.add(name)
        events = formulas.events[name]
        if sum(not _is_fixed(event) for event in events) > max_counters:
            events, others = _own_events(model, formulas, name)
            pending += others
        sets.append((name, events))
    return sets


def _own_events(model: Model, formulas: Formulas, node: str) -> tuple[frozenset[str], list[str]]:
    """Return the events of a node's own formula and terms, and the nodes it depends on."""
    events: set[str] = set()
    others: list[str] = []
    pending, seen = [node], set()
    while pending:
        for name in sorted(names(formulas.trees[pending.pop()])):
            if name in seen:
                continue
            seen.add(name)
            if name in model.nodes:
                others.append(name)
            elif name in formulas.trees:
                pending.append(name)
            else:
                events.add(name)
    return frozenset(events), others


def _is_fixed(event: str) -> bool:
    return event in _FIXED or event in CLOCKS or event.startswith((FIELD, "TOPDOWN.SLOTS"))


def _with_cycles(
    model: Model, needed: frozenset[str], events: Mapping[str, Encoding]
) -> tuple[str, ...]:
    """Return a set's countable events and the cycles that scale it."""
    members = {name for name in needed if name in events and name != TSC}
    if any(name.startswith(FIELD) for name in members):
        members.add(SLOTS)
    if model.cycles in events:
        members.add(model.cycles)
    return tuple(name for name in events if name in members)


def _without_subsets(sets: Iterable[EventSet]) -> list[EventSet]:
    """Return the sets that no other set contains, and the first of equal sets."""
    plan_sets: list[EventSet] = []
    for candidate in sorted(sets, key=lambda event_set: -len(event_set.events)):
        events = set(candidate.events)
        if events and not any(events <= set(other.events) for other in plan_sets):
            plan_sets.append(candidate)
    return plan_sets


def _with_leaders(sets: Iterable[EventSet]) -> tuple[EventSet, ...]:
    """Return the sets with the slots counter as leader of sets that contain it."""
    result = []
    for event_set in sets:
        if SLOTS in event_set.events:
            others = tuple(name for name in event_set.events if name != SLOTS)
            result.append(EventSet(event_set.name, (SLOTS, *others), SLOTS))
        else:
            result.append(event_set)
    return tuple(result)
