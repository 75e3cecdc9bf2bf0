"""The tree of one reading: every node's value, or why it has none, and what to doubt.

A formula becomes a function once for each model and way of counting; a reading costs one call for
each node and each term. Nodes ask for each other's values, which are kept for the reading.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from topdown.slots.counts import Counts
from topdown.slots.diagnosis import Suspect, cause, impossible, suspects
from topdown.slots.expressions import Binary, Expression, Name, Number, names, settled, written
from topdown.slots.functions import Compiled, NoValueError, compiled
from topdown.slots.model import SMT, Model, Node, load


@dataclass(frozen=True, slots=True)
class NodeValue:
    """One node of one reading. ``value`` is None where ``warnings`` says why there is none.

    ``above_threshold`` is None where the vendor publishes no threshold, or it cannot be told.
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


@dataclass(frozen=True, slots=True)
class Formulas:
    """A model's formulas for one way of counting.

    ``events`` are those that a formula may ask for, through all others; ``estimated`` the
    formulas that lead through one which only estimates.
    """

    functions: Mapping[str, Compiled]
    suspects: Mapping[str, tuple[Suspect, ...]]
    events: Mapping[str, frozenset[str]]
    estimated: frozenset[str]


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
    return Formulas(
        {name: compiled(tree) for name, tree in trees.items()},
        {name: suspects(trees[name]) for name in model.nodes},
        {name: reached - set(trees) for name, reached in uses.items()},
        frozenset(name for name, reached in uses.items() if reached & estimates),
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


class _Values:
    """What formulas ask for: counts, and other formulas' values, each computed once."""

    def __init__(self, functions: Mapping[str, Compiled], counts: Mapping[str, float]) -> None:
        self._functions = functions
        self._known = dict(counts)
        self._failed: dict[str, NoValueError] = {}

    def __call__(self, name: str) -> float:
        """Return a value; NoValueError says why there is none."""
        value = self._known.get(name)
        if value is not None:
            return value
        if name in self._failed:
            raise self._failed[name]
        function = self._functions.get(name)
        if function is None:
            raise NoValueError("")
        self._failed[name] = NoValueError(f"{name} is defined by itself")  # until it has a value
        try:
            value = function(self)
        except NoValueError as error:
            self._failed[name] = error
            raise
        self._known[name] = value
        return value


def evaluate(model: Model, counts: Counts) -> Tree:
    """Return the tree of one reading; nothing is left out, and nothing raised."""
    formulas = formulas_of(
        model.key, smt=counts.smt, ebs_mode=counts.ebs_mode, perf_metrics=counts.perf_metrics
    )
    left_out = model.optional.keys() - counts.values.keys()
    values = _Values(formulas.functions, {**counts.values, **dict.fromkeys(left_out, 0.0)})
    found: dict[str, float | None] = {}
    reasons: dict[str, str] = {}
    for name in model.nodes:
        try:
            found[name] = values(name)
        except NoValueError as error:
            found[name] = None
            reasons[name] = str(error) or _missing(formulas.events[name], counts)
    nodes = {}
    for name, node in model.nodes.items():
        value = found[name]
        above = None if node.threshold is None else _holds(node.threshold, found)
        wrong = "" if value is None else impossible(node, value, model.whole)
        if value is None:
            warnings = [reasons[name]]
        else:
            warnings = _doubts(model, node, formulas, counts)
            if wrong:
                why = cause(node, formulas.suspects[name], values, negative=value < 0)
                warnings.insert(0, f"impossible: {wrong}: {why}")
        nodes[name] = NodeValue(
            name, value, node.level, node.parent, above, tuple(warnings), bool(wrong)
        )
    ipc = _ipc(model, counts)
    return Tree(model, MappingProxyType(nodes), ipc, counts.unknown, counts.notes)


def _ipc(model: Model, counts: Counts) -> float | None:
    instructions = counts.values.get(model.instructions)
    cycles = counts.values.get(model.cycles)
    return None if instructions is None or not cycles else instructions / cycles


def _missing(events: frozenset[str], counts: Counts) -> str:
    """Return which of a node's events have no count, and why where that is known."""
    missing = sorted(events - set(counts.values))
    told = [why for event in missing if (why := counts.absent.get(event))]
    plain = [event for event in missing if event not in counts.absent]
    if plain:
        told.insert(0, f"not in the counts: {', '.join(plain)}")
    return "; ".join(dict.fromkeys(told))


def _doubts(model: Model, node: Node, formulas: Formulas, counts: Counts) -> list[str]:
    """Return what a reader of a node's value must know of how its events were counted."""
    events = formulas.events[node.name]
    doubts = list(counts.notes) if node.level == 1 else []
    if node.name in formulas.estimated:
        doubts.append("estimated: the core's cycles are inferred from this process's own")
    if counts.running:
        share = min((counts.running.get(event, 1.0) for event in events), default=1.0)
        if share < 1:
            doubts.append(f"scaled: an event was counted {share * 100:.0f} % of the time")
    left_out = (model.optional.keys() & events) - counts.values.keys()
    doubts += dict.fromkeys(model.optional[event] for event in sorted(left_out))
    return doubts


def _holds(condition: Expression, found: Mapping[str, float | None]) -> bool | None:
    """Return whether a threshold's condition holds; None where a value it turns on is missing."""
    match condition:
        case Binary("&" | "|" as sign, left, right):
            sides = (_holds(left, found), _holds(right, found))
            deciding = sign == "|"
            return deciding if deciding in sides else None if None in sides else not deciding
        case Binary(">" | "<" as sign, Name(name), Number(bound)):
            value = found[name]
            if value is None:
                return None
            return value > bound if sign == ">" else value < bound
        case _:
            raise ValueError(f"not a threshold: {written(condition)}")
