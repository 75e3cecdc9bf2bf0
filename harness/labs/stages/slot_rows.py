"""The slot trees of both sides, side by side, down to the marked nodes."""

from dataclasses import dataclass

from harness.labs.stages.result import StagesResult
from harness.topdown.interval_text import share_text
from harness.topdown.result import NodeRecord, TopdownResult
from harness.topdown.text import shown_nodes


@dataclass(frozen=True, slots=True)
class SideShare:
    """A node on one side; ``share`` is None if the side has no value of it."""

    text: str
    share: float | None
    marked: bool


@dataclass(frozen=True, slots=True)
class SlotRow:
    """A node of both trees; ``level`` counts from 1."""

    name: str
    root: str  # the node of the first level above it
    level: int
    sides: tuple[SideShare, SideShare]


def slot_rows(result: StagesResult) -> list[SlotRow]:
    """Return the nodes that either side shows, parents first; empty without slots."""
    trees = result.slot_trees
    if not trees:
        return []
    names = {name for tree in trees for name in shown_nodes(tree, None)}
    return [
        _row(name, node, trees)
        for name, node in _merged(trees).items()
        if name in names and node.level
    ]


def marked_text(tree: TopdownResult) -> str:
    """Return the marked path, or the reason why there is none."""
    if tree.bottleneck:
        return f"{' > '.join(tree.bottleneck)} ({tree.bottleneck_why})"
    return f"none: {tree.bottleneck_why}"


def _row(name: str, node: NodeRecord, trees: list[TopdownResult]) -> SlotRow:
    unstaged, staged = (_share(tree, name) for tree in trees)
    return SlotRow(name, _root(name, trees), node.level or 1, (unstaged, staged))


def _share(tree: TopdownResult, name: str) -> SideShare:
    node = tree.nodes.get(name)
    if node is None or node.value is None:
        return SideShare("n/a", None, marked=False)
    share = None if node.possible is None else node.possible / tree.whole
    return SideShare(share_text(node, tree.whole), share, name in (tree.bottleneck or ()))


def _merged(trees: list[TopdownResult]) -> dict[str, NodeRecord]:
    """Return the nodes of all trees by name, in the order of the first tree."""
    return {name: node for tree in trees for name, node in tree.nodes.items()}


def _root(name: str, trees: list[TopdownResult]) -> str:
    nodes = _merged(trees)
    for _ in nodes:
        parent = nodes[name].parent if name in nodes else None
        if parent is None:
            break
        name = parent
    return name
