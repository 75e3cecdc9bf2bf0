"""What to count for a tree of slots: the events that a formula needs together, with encodings.

A set is what one formula needs. Where a node's whole chain of formulas asks for more events than
a core has counters, the node's own formula is one set and the nodes that it asks for are others;
which sets share a group, and what fits, the collector and the kernel decide.
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

SCHEMA = "stallscope.count-plan/1"
SLOTS = "TOPDOWN.SLOTS:perf_metrics"
FIELD = "PERF_METRICS."
CLOCK = "TSC"
# TOPDOWN.SLOTS_P: event 0xa4, umask 1 (Intel perfmon, core events of Ice Lake and later).
_SLOTS_BY_A_GENERAL_COUNTER = "0x1a4"
# Counters of their own beside the general ones: asking for these costs no room in a group.
_FIXED = ("INST_RETIRED.ANY", "CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.REF_TSC", "CPU_CYCLES")
# General counters of a core, of each thread where its two share them (Intel SDM 3, chapter 20;
# AMD PPR of family 19h; Arm TRMs). Only how sets are cut turns on it: the kernel judges.
_COUNTERS = {"old": 8, "old with two threads": 4, "Intel": 8, "other": 6}
NO_LATENCY = "a mean latency that only precise sampling reports, which is not counted"
NO_TSC = "the kernel offers no device that reads the time stamp counter (msr)"


@dataclass(frozen=True, slots=True)
class Encoding:
    """How perf_event_open(2) is asked for an event; ``name`` where libpfm4 is to say."""

    event_type: int = 0
    config: int = 0
    config1: int = 0
    name: str = ""

    def document(self) -> dict[str, object]:
        """Return the plan file's form."""
        if self.name:
            return {"name": self.name}
        return {
            "type": self.event_type,
            "config": f"{self.config:#x}",
            "config1": f"{self.config1:#x}",
            "config2": "0x0",
        }


@dataclass(frozen=True, slots=True)
class EventSet:
    """Events that belong together; ``leader`` must lead their group, empty for any."""

    name: str
    events: tuple[str, ...]
    leader: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to count; ``uncountable`` are events that nothing can count, each with its reason."""

    sets: tuple[EventSet, ...]
    events: Mapping[str, Encoding]
    uncountable: Mapping[str, str]

    def document(self) -> dict[str, object]:
        """Return the plan file's content."""
        return {
            "schema": SCHEMA,
            "sets": [
                {"name": each.name, "events": list(each.events), "leader": each.leader}
                for each in self.sets
            ],
            "events": {name: encoding.document() for name, encoding in self.events.items()},
        }

    def only(self, events: Iterable[str]) -> "Plan":
        """Return the plan of one set: the events of this plan that are among those given."""
        kept = tuple(name for name in self.events if name in frozenset(events))
        leader = SLOTS if SLOTS in kept else ""
        return Plan(
            (EventSet("group", kept, leader),),
            MappingProxyType({name: self.events[name] for name in kept}),
            self.uncountable,
        )


def formulas_for(model: Model, mode: CountingMode) -> Formulas:
    """Return a model's formulas as they are for a way of counting."""
    return formulas_of(
        model.key, smt=mode.smt, ebs_mode=mode.ebs_mode, perf_metrics=mode.perf_metrics
    )


def nodes_down_to(model: Model, level: int | None) -> tuple[str, ...]:
    """Return the names of the nodes down to a level; with None all, and the metrics beside."""
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
    asked: Mapping[str, Encoding] = MappingProxyType({}),
    broken: Mapping[str, str] = MappingProxyType({}),
) -> Plan:
    """Return what to count for these nodes, instructions per cycle, and a person's own events.

    ``broken`` are events that a self-test found wrong, which are not counted for that reason.
    """
    wanted_nodes = tuple(nodes)
    formulas = formulas_for(model, mode)
    uncountable = dict(broken)
    events: dict[str, Encoding] = {}
    for name in _needed(model, formulas, wanted_nodes):
        reason = broken.get(name) or _why_not(name, mode)
        if reason:
            uncountable[name] = reason
        else:
            counted = counted_as(model, mode, name)
            events[counted] = encoding_of(model, mode, counted)
    sets = []
    for name, wanted in _wanted(model, mode, formulas, wanted_nodes):
        counted_names = frozenset(counted_as(model, mode, event) for event in wanted)
        sets.append(EventSet(name, _completed(model, counted_names, events)))
    if CLOCK in events:
        sets.append(EventSet(CLOCK, (CLOCK,)))
    events |= asked
    for name in asked:
        led = name.startswith(FIELD)
        if led:
            events.setdefault(SLOTS, encoding_of(model, mode, SLOTS))
        sets.append(EventSet(name, (SLOTS, name) if led else (name,)))
    return Plan(_led(_without_subsets(sets)), MappingProxyType(events), uncountable)


def _needed(model: Model, formulas: Formulas, nodes: Iterable[str]) -> list[str]:
    """Return all events to count, in the model's order."""
    found = {model.instructions, model.cycles}
    for name in nodes:
        found |= formulas.events[name]
    if any(name.startswith(FIELD) for name in found):
        found.add(SLOTS)
    ordered = [name for name in model.events if name in found]
    return ordered + [name for name in CLOCKS if name in found]


def counted_as(model: Model, mode: CountingMode, name: str) -> str:
    """Return which event answers for one: the first of those that are the same under two names.

    Both clocks need but the rate of the time stamp counter.
    """
    return answers(model.key, perf_metrics=mode.perf_metrics).get(name, name)


@cache
def answers(key: str, *, perf_metrics: bool) -> Mapping[str, str]:
    """Return for each name in a model's formulas the event that is counted for it."""
    events = load(key).events
    first: dict[str, str] = {}
    found = dict.fromkeys(CLOCKS, CLOCK)
    for name, code in events.items():
        alone = name == SLOTS or name.endswith(UNLIKE)
        found[name] = name if alone else first.setdefault(code, name)
    if perf_metrics and "TOPDOWN.SLOTS" in events:
        found["TOPDOWN.SLOTS"] = SLOTS
    return MappingProxyType(found)


def _why_not(name: str, mode: CountingMode) -> str:
    if name.endswith(":retire_latency"):
        return f"{name}: {NO_LATENCY}"
    if name in CLOCKS and mode.msr_type is None:
        return f"{name}: {NO_TSC}"
    if name.startswith(FIELD) and name not in mode.metrics:
        return f"{name}: this kernel does not offer that field of the slots register"
    return ""


def encoding_of(model: Model, mode: CountingMode, name: str) -> Encoding:
    """Return the encoding of one of a model's events, or of the time stamp counter."""
    if name == CLOCK:
        return Encoding(mode.msr_type or 0, 0)
    config, _, extra = model.events[name].partition("/")
    if name == "TOPDOWN.SLOTS":  # the fixed counter belongs to the register, which is not there
        config = _SLOTS_BY_A_GENERAL_COUNTER
    return Encoding(mode.event_type, int(config, 16), int(extra or "0", 16))


def counters_of(model: Model, mode: CountingMode) -> int:
    """Return how many general counters one set may ask for."""
    if "ebs_mode" in model.variants:
        return _COUNTERS["old with two threads" if mode.smt else "old"]
    return _COUNTERS["Intel" if "generic" in model.variants else "other"]


def _wanted(
    model: Model, mode: CountingMode, formulas: Formulas, nodes: Iterable[str]
) -> list[tuple[str, frozenset[str]]]:
    """Return the sets' names and events, unfinished: one of each node, and of IPC."""
    most = counters_of(model, mode)
    sets = [("IPC", frozenset((model.instructions, model.cycles)))]
    waiting, seen = list(nodes), set()
    while waiting:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        wanted = formulas.events[name]
        if sum(not _is_free(event) for event in wanted) > most:
            wanted, others = _own(model, formulas, name)
            waiting += others
        sets.append((name, wanted))
    return sets


def _own(model: Model, formulas: Formulas, node: str) -> tuple[frozenset[str], list[str]]:
    """Return the events of a node's own formula and its terms, and the nodes it leads to."""
    events: set[str] = set()
    others: list[str] = []
    waiting, seen = [node], set()
    while waiting:
        for name in sorted(names(formulas.trees[waiting.pop()])):
            if name in seen:
                continue
            seen.add(name)
            if name in model.nodes:
                others.append(name)
            elif name in formulas.trees:
                waiting.append(name)
            else:
                events.add(name)
    return frozenset(events), others


def _is_free(event: str) -> bool:
    return event in _FIXED or event in CLOCKS or event.startswith((FIELD, "TOPDOWN.SLOTS"))


def _completed(
    model: Model, wanted: frozenset[str], events: Mapping[str, Encoding]
) -> tuple[str, ...]:
    """Return a set's countable events, with the cycles that every set is normalized by."""
    found = {name for name in wanted if name in events and name != CLOCK}
    if any(name.startswith(FIELD) for name in found):
        found.add(SLOTS)
    if model.cycles in events:
        found.add(model.cycles)
    return tuple(name for name in events if name in found)


def _without_subsets(sets: Iterable[EventSet]) -> list[EventSet]:
    """Return the sets that are in no other one; of equal ones the first."""
    kept: list[EventSet] = []
    for each in sorted(sets, key=lambda each: -len(each.events)):
        if each.events and not any(set(each.events) <= set(other.events) for other in kept):
            kept.append(each)
    return kept


def _led(sets: Iterable[EventSet]) -> tuple[EventSet, ...]:
    """Return the sets with the slots counter first where fields of its register are in them."""
    done = []
    for each in sets:
        if SLOTS in each.events:
            rest = tuple(name for name in each.events if name != SLOTS)
            done.append(EventSet(each.name, (SLOTS, *rest), SLOTS))
        else:
            done.append(each)
    return tuple(done)
