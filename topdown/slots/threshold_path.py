"""The branch of a tree that is marked as the bottleneck by thresholds."""

from collections.abc import Iterable

from topdown.slots.evaluation import NodeValue, Tree
from topdown.slots.model import Model


def path_by_thresholds(tree: Tree) -> tuple[NodeValue, ...]:
    """Return the nodes above their thresholds from a root down, the greatest at each level.

    Empty if no node is above its threshold or the vendor publishes none. A node with an impossible
    value ends the path.
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


def has_thresholds(model: Model) -> bool:
    """Return whether the vendor publishes thresholds."""
    return any(node.threshold is not None for node in model.nodes.values())
