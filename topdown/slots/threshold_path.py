"""Which branch of a tree is marked as the bottleneck."""

from collections.abc import Iterable

from topdown.slots.evaluation import NodeValue, Tree


def path_by_thresholds(tree: Tree) -> tuple[NodeValue, ...]:
    """Return the nodes from a root down that are over their thresholds, the greatest at each level.

    Empty where none is, or the vendor publishes no thresholds. A node with an impossible value
    marks nothing: neither itself nor what is below it.
    """
    path: list[NodeValue] = []
    parent: str | None = None
    while chosen := _greatest(tree.nodes.values(), parent, len(path) + 1):
        path.append(chosen)
        parent = chosen.name
    return tuple(path)


def _greatest(nodes: Iterable[NodeValue], parent: str | None, level: int) -> NodeValue | None:
    over = [
        node
        for node in nodes
        if node.above_threshold
        and not node.impossible
        and (node.level, node.parent) == (level, parent)
    ]
    return max(over, key=lambda node: node.value or 0.0, default=None)


def has_thresholds(tree: Tree) -> bool:
    """Return whether the vendor says from where on a node matters."""
    return any(node.threshold is not None for node in tree.model.nodes.values())
