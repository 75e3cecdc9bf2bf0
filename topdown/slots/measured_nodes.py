"""Nodes of a tree as measured nodes: in reading order, with units in words."""

from collections.abc import Iterable, Mapping

from topdown.slots.evaluation import NodeValue, Tree
from topdown.slots.measurement import Interval, MeasuredNode
from topdown.slots.model import Model

_UNIT_WORDS = {
    "Slots": "slots",
    "Clocks": "cycles",
    "Stalls": "cycles",
    "Core": "core cycles",
    "Uops": "operations",
}
# Slots of the other thread of the core are not a loss of this one: they come last.
_LAST = "smt_contention"


def measured_nodes(
    tree: Tree, intervals: Mapping[str, Interval] | None = None
) -> tuple[MeasuredNode, ...]:
    """Return the tree's nodes, parents first, then the metrics beside it."""
    interval_of = intervals or {}
    return tuple(
        _measured(tree.model, node, interval_of.get(node.name))
        for node in in_reading_order(tree.nodes.values())
    )


def in_reading_order(nodes: Iterable[NodeValue]) -> list[NodeValue]:
    """Return nodes with parents first, then the metrics beside the tree.

    A node without its parent among them is left out.
    """
    listed = list(nodes)
    children: dict[str | None, list[NodeValue]] = {}
    for node in listed:
        if node.level is not None:
            children.setdefault(node.parent, []).append(node)
    children.get(None, []).sort(key=lambda node: node.name == _LAST)
    ordered: list[NodeValue] = []
    pending = children.get(None, [])[::-1]
    while pending:
        node = pending.pop()
        ordered.append(node)
        pending += children.get(node.name, [])[::-1]
    ordered += (node for node in listed if node.level is None)
    return ordered


def _measured(model: Model, node: NodeValue, interval: Interval | None) -> MeasuredNode:
    return MeasuredNode(
        name=node.name,
        level=node.level,
        parent=node.parent,
        value=node.value,
        unit=unit_of(model, node.name),
        above_threshold=node.above_threshold,
        interval=interval,
        warnings=node.warnings,
        impossible=node.impossible,
    )


def unit_of(model: Model, name: str) -> str:
    """Return what a node is a share of, in words, or the unit of a metric beside the tree."""
    node = model.nodes[name]
    if node.level is None:
        return node.domain
    if model.unit == "percent":
        return node.domain.removeprefix("percent of ")
    first, _, kind = node.domain.partition("_")
    return f"{_UNIT_WORDS.get(first, first.lower())}{', est.' if kind == 'Estimated' else ''}"
