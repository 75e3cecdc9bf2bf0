"""The tree of one reading: each node's value, or the reason for a missing value, with warnings.

A formula is compiled once per model and counting mode. Evaluating a reading costs one call per term
and node, in the order of their dependencies.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from math import isfinite
from types import MappingProxyType

from topdown.slots.counts import Counts
from topdown.slots.diagnosis import SuspectTerm, cause, impossible, suspect_terms
from topdown.slots.expressions import Expression, names, resolved
from topdown.slots.formula_functions import FormulaFunction, compiled, zero_divisor
from topdown.slots.model import SMT, Model, Node, load
from topdown.slots.thresholds import Condition, condition_of, holds

ESTIMATED = "estimated: core cycles are inferred from the cycles of this process"
OVERFLOW = "the value overflows"


@dataclass(frozen=True, slots=True)
class NodeValue:
    """A node of one reading. If ``value`` is None, ``warnings`` contains the reason.

    ``above_threshold`` is None if the vendor publishes no threshold, or if a value that the
    threshold depends on is missing.
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
    """All nodes of one reading by name, and instructions per cycle if both were counted."""

    model: Model
    nodes: Mapping[str, NodeValue]
    ipc: float | None
    unknown: tuple[str, ...]  # counted events that the model does not use
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Formulas:
    """A model's formulas for one counting mode, in the order of their dependencies.

    ``events`` are all events that a formula depends on, directly or not; ``optional`` are those
    that a sum may omit. ``estimated`` are the formulas that depend on an estimate.
    """

    trees: Mapping[str, Expression]
    functions: Mapping[str, FormulaFunction]
    suspect_terms: Mapping[str, tuple[SuspectTerm, ...]]
    thresholds: Mapping[str, Condition]
    events: Mapping[str, frozenset[str]]
    estimated: frozenset[str]
    optional: Mapping[str, frozenset[str]]


@cache
def formulas_of(key: str, *, smt: bool, ebs_mode: bool, perf_metrics: bool) -> Formulas:
    """Return a model's formulas with the conditions of a counting mode resolved."""
    model = load(key)
    trees = dict(model.terms) | {name: node.formula for name, node in model.nodes.items()}
    estimates: set[str] = set()
    if ebs_mode and "ebs_mode" in model.variants:
        trees |= model.variants["ebs_mode"].formulas
        estimates = set(model.variants["ebs_mode"].formulas)
    if not perf_metrics and "generic" in model.variants:
        trees |= model.variants["generic"].formulas
    trees = {name: resolved(tree, {SMT: smt}) for name, tree in trees.items()}
    dependencies = {name: _dependencies(name, trees) for name in trees}
    order = sorted(trees, key=lambda name: len(dependencies[name] & trees.keys()))
    return Formulas(
        trees,
        {name: compiled(trees[name]) for name in order},
        {name: suspect_terms(trees[name]) for name in model.nodes},
        {
            name: condition_of(node.threshold)
            for name, node in model.nodes.items()
            if node.threshold is not None
        },
        {name: used - set(trees) for name, used in dependencies.items()},
        frozenset(name for name, used in dependencies.items() if used & estimates),
        {
            name: optional
            for name, used in dependencies.items()
            if (optional := used & model.optional.keys())
        },
    )


def _dependencies(name: str, trees: Mapping[str, Expression]) -> frozenset[str]:
    """Return all events and formulas that a formula depends on, directly or not."""
    used: set[str] = set()
    pending = [name]
    while pending:
        for dependency in names(trees[pending.pop()]):
            if dependency not in used:
                used.add(dependency)
                if dependency in trees:
                    pending.append(dependency)
    return frozenset(used)


def evaluate(model: Model, counts: Counts) -> Tree:
    """Return the tree of one reading, with all nodes. Raises nothing."""
    formulas = formulas_of(
        model.key, smt=counts.smt, ebs_mode=counts.ebs_mode, perf_metrics=counts.perf_metrics
    )
    known, reasons = _values(model, formulas, counts)
    missing = _missing_nodes(model.key, formulas, frozenset(counts.values))
    nodes = {}
    for name, node in model.nodes.items():
        value = known.get(name)
        if value is not None:
            nodes[name] = _node_with_value(model, node, formulas, counts, known)
        elif reasons[name] or counts.absent:
            why = reasons[name] or _missing_reason(formulas.events[name].difference(known), counts)
            nodes[name] = NodeValue(name, None, node.level, node.parent, None, (why,), False)
        else:
            nodes[name] = missing[name]
    ipc = _ipc(model, counts)
    return Tree(model, MappingProxyType(nodes), ipc, counts.unknown, counts.notes)


@lru_cache(maxsize=64)
def _missing_nodes(key: str, formulas: Formulas, counted: frozenset[str]) -> dict[str, NodeValue]:
    """Return the nodes without a value for a set of counted events; cached for equal sets."""
    return {
        name: NodeValue(name, None, node.level, node.parent, None, (_not_counted(missing),), False)
        for name, node in load(key).nodes.items()
        if (missing := formulas.events[name] - counted)
    }


def _node_with_value(
    model: Model, node: Node, formulas: Formulas, counts: Counts, known: Mapping[str, float]
) -> NodeValue:
    value = known[node.name]
    warnings = _warnings(model, node, formulas, counts)
    problem = impossible(node, value, model.whole)
    if problem:
        why = cause(node, formulas.suspect_terms[node.name], known, negative=value < 0)
        warnings.insert(0, f"impossible: {problem}: {why}")
    condition = formulas.thresholds.get(node.name)
    above = None if condition is None else holds(condition, known)
    return NodeValue(
        node.name, value, node.level, node.parent, above, tuple(warnings), bool(problem)
    )


def _values(
    model: Model, formulas: Formulas, counts: Counts
) -> tuple[dict[str, float], dict[str, str]]:
    """Return counts and formula values, and the reasons for missing values.

    The reason is empty if an event was not counted.
    """
    values = {**dict.fromkeys(model.optional, 0.0), **counts.values}
    reasons: dict[str, str] = {}
    for name, function in formulas.functions.items():
        try:
            value = function(values)
        except KeyError as error:
            reasons[name] = reasons.get(error.args[0], "")
            continue
        except ZeroDivisionError:
            divisor = zero_divisor(formulas.trees[name], values)
            reasons[name] = f"division by zero: {divisor} is 0"
            continue
        if isfinite(value):
            values[name] = value
        else:
            reasons[name] = OVERFLOW
    return values, reasons


def _ipc(model: Model, counts: Counts) -> float | None:
    instructions = counts.values.get(model.instructions)
    cycles = counts.values.get(model.cycles)
    if instructions is None or not cycles:
        return None
    value = instructions / cycles
    return value if isfinite(value) else None


def _missing_reason(events: frozenset[str], counts: Counts) -> str:
    """Return the events of a node without a count, with their reasons."""
    plain = events.difference(counts.absent)
    reasons = [_not_counted(plain)] if plain else []
    by_reason: dict[str, list[str]] = {}
    for event in sorted(events - plain):
        why = counts.absent[event]
        reason = why.removeprefix(f"{event}: ")
        if reason == why:
            reasons.append(why)
        else:
            by_reason.setdefault(reason, []).append(event)
    reasons += [f"{', '.join(names)}: {reason}" for reason, names in by_reason.items()]
    return "; ".join(dict.fromkeys(reasons))


def _not_counted(events: frozenset[str]) -> str:
    return f"not in the counts: {', '.join(sorted(events))}"


def _warnings(model: Model, node: Node, formulas: Formulas, counts: Counts) -> list[str]:
    """Return the warnings about how the events of a node were counted."""
    warnings = list(counts.notes) if node.level == 1 else []
    if node.name in formulas.estimated:
        warnings.append(ESTIMATED)
    if counts.running:
        events = formulas.events[node.name]
        share = min((counts.running.get(event, 1.0) for event in events), default=1.0)
        if share < 1:
            warnings.append(f"scaled: an event was counted {share * 100:.0f} % of the time")
    if optional := formulas.optional.get(node.name):
        omitted = optional.difference(counts.values)
        warnings += dict.fromkeys(model.optional[event] for event in sorted(omitted))
    return warnings
