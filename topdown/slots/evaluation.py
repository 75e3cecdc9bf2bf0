"""The tree of one reading: every node's value, or why it has none, and what to doubt.

A formula becomes a function once for each model and way of counting; a reading costs one call for
each term and node, in an order that has those first which others ask for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from math import isfinite
from types import MappingProxyType

from topdown.slots.counts import Counts
from topdown.slots.diagnosis import Suspect, cause, impossible, suspects
from topdown.slots.expressions import Expression, names, settled
from topdown.slots.formula_functions import Compiled, compiled, zero_divisor
from topdown.slots.model import SMT, Model, Node, load
from topdown.slots.thresholds import Condition, condition_of, holds

ESTIMATED = "estimated: the core's cycles are inferred from this process's own"
OVERFLOW = "too large for a number"


@dataclass(frozen=True, slots=True)
class NodeValue:
    """One node of one reading. ``value`` is None where ``warnings`` says why there is none.

    ``above_threshold`` is None where the vendor publishes no threshold, or a value that it turns
    on is not known.
    """

    name: str
    value: float | None
    level: int | None
    parent: str | None
    above_threshold: bool | None
    warnings: tuple[str, ...]
    impossible: bool


@dataclass(frozen=True, slots=True)
class Tree:
    """All nodes of one reading by name, and instructions per cycle where both were counted."""

    model: Model
    nodes: Mapping[str, NodeValue]
    ipc: float | None
    unknown: tuple[str, ...]  # counts that are of no event of this model
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Formulas:
    """A model's formulas for one way of counting, each after all those that it asks for.

    ``events`` are those that a formula may ask for, through all others, ``optional`` those of
    them that a sum can do without; ``estimated`` are the formulas that lead through an estimate.
    """

    trees: Mapping[str, Expression]
    functions: Mapping[str, Compiled]
    suspects: Mapping[str, tuple[Suspect, ...]]
    thresholds: Mapping[str, Condition]
    events: Mapping[str, frozenset[str]]
    estimated: frozenset[str]
    optional: Mapping[str, frozenset[str]]


@cache
def formulas_of(key: str, *, smt: bool, ebs_mode: bool, perf_metrics: bool) -> Formulas:
    """Return a model's formulas with the choices made that this way of counting makes."""
    model = load(key)
    trees = dict(model.terms) | {name: node.formula for name, node in model.nodes.items()}
    estimates: set[str] = set()
    if ebs_mode and "ebs_mode" in model.variants:
        trees |= model.variants["ebs_mode"].formulas
        estimates = set(model.variants["ebs_mode"].formulas)
    if not perf_metrics and "generic" in model.variants:
        trees |= model.variants["generic"].formulas
    trees = {name: settled(tree, {SMT: smt}) for name, tree in trees.items()}
    uses = {name: _reached(name, trees) for name in trees}
    order = sorted(trees, key=lambda name: len(uses[name] & trees.keys()))
    return Formulas(
        trees,
        {name: compiled(trees[name]) for name in order},
        {name: suspects(trees[name]) for name in model.nodes},
        {
            name: condition_of(node.threshold)
            for name, node in model.nodes.items()
            if node.threshold is not None
        },
        {name: reached - set(trees) for name, reached in uses.items()},
        frozenset(name for name, reached in uses.items() if reached & estimates),
        {name: few for name, reached in uses.items() if (few := reached & model.optional.keys())},
    )


def _reached(name: str, trees: Mapping[str, Expression]) -> frozenset[str]:
    """Return all events and formulas that a formula may ask for, directly or not."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for asked in names(trees[waiting.pop()]):
            if asked not in found:
                found.add(asked)
                if asked in trees:
                    waiting.append(asked)
    return frozenset(found)


def evaluate(model: Model, counts: Counts) -> Tree:
    """Return the tree of one reading; nothing is left out, and nothing raised."""
    formulas = formulas_of(
        model.key, smt=counts.smt, ebs_mode=counts.ebs_mode, perf_metrics=counts.perf_metrics
    )
    known, reasons = _values(model, formulas, counts)
    fallen = _fallen(model.key, formulas, frozenset(counts.values))
    nodes = {}
    for name, node in model.nodes.items():
        value = known.get(name)
        if value is not None:
            nodes[name] = _valued(model, node, formulas, counts, known)
        elif reasons[name] or counts.absent:
            why = reasons[name] or _missing(formulas.events[name].difference(known), counts)
            nodes[name] = NodeValue(name, None, node.level, node.parent, None, (why,), False)
        else:
            nodes[name] = fallen[name]
    ipc = _ipc(model, counts)
    return Tree(model, MappingProxyType(nodes), ipc, counts.unknown, counts.notes)


@lru_cache(maxsize=64)
def _fallen(key: str, formulas: Formulas, counted: frozenset[str]) -> dict[str, NodeValue]:
    """Return the nodes that lack a count, where just these are there; most readings are alike."""
    return {
        name: NodeValue(name, None, node.level, node.parent, None, (_not_counted(missing),), False)
        for name, node in load(key).nodes.items()
        if (missing := formulas.events[name] - counted)
    }


def _valued(
    model: Model, node: Node, formulas: Formulas, counts: Counts, known: Mapping[str, float]
) -> NodeValue:
    value = known[node.name]
    warnings = _doubts(model, node, formulas, counts)
    wrong = impossible(node, value, model.whole)
    if wrong:
        why = cause(node, formulas.suspects[node.name], known, negative=value < 0)
        warnings.insert(0, f"impossible: {wrong}: {why}")
    condition = formulas.thresholds.get(node.name)
    above = None if condition is None else holds(condition, known)
    return NodeValue(node.name, value, node.level, node.parent, above, tuple(warnings), bool(wrong))


def _values(
    model: Model, formulas: Formulas, counts: Counts
) -> tuple[dict[str, float], dict[str, str]]:
    """Return counts with all formulas' values, and why others have none: empty is an event's."""
    known = {**dict.fromkeys(model.optional, 0.0), **counts.values}
    reasons: dict[str, str] = {}
    for name, function in formulas.functions.items():
        try:
            value = function(known)
        except KeyError as error:
            reasons[name] = reasons.get(error.args[0], "")
            continue
        except ZeroDivisionError:
            divisor = zero_divisor(formulas.trees[name], known)
            reasons[name] = f"division by zero: {divisor} is 0"
            continue
        if isfinite(value):
            known[name] = value
        else:
            reasons[name] = OVERFLOW
    return known, reasons


def _ipc(model: Model, counts: Counts) -> float | None:
    instructions = counts.values.get(model.instructions)
    cycles = counts.values.get(model.cycles)
    if instructions is None or not cycles:
        return None
    value = instructions / cycles
    return value if isfinite(value) else None


def _missing(events: frozenset[str], counts: Counts) -> str:
    """Return which of a node's events have no count, and why where that is known."""
    plain = events.difference(counts.absent)
    told = [_not_counted(plain)] if plain else []
    alike: dict[str, list[str]] = {}
    for event in sorted(events - plain):
        why = counts.absent[event]
        reason = why.removeprefix(f"{event}: ")
        if reason == why:
            told.append(why)
        else:
            alike.setdefault(reason, []).append(event)
    told += [f"{', '.join(names)}: {reason}" for reason, names in alike.items()]
    return "; ".join(dict.fromkeys(told))


def _not_counted(events: frozenset[str]) -> str:
    return f"not in the counts: {', '.join(sorted(events))}"


def _doubts(model: Model, node: Node, formulas: Formulas, counts: Counts) -> list[str]:
    """Return what a reader of a node's value must know of how its events were counted."""
    doubts = list(counts.notes) if node.level == 1 else []
    if node.name in formulas.estimated:
        doubts.append(ESTIMATED)
    if counts.running:
        events = formulas.events[node.name]
        share = min((counts.running.get(event, 1.0) for event in events), default=1.0)
        if share < 1:
            doubts.append(f"scaled: an event was counted {share * 100:.0f} % of the time")
    if optional := formulas.optional.get(node.name):
        left_out = optional.difference(counts.values)
        doubts += dict.fromkeys(model.optional[event] for event in sorted(left_out))
    return doubts
