"""The layout of a flame graph: nodes in drawing order, their totals, and the rectangles."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.stacks.flame.names import function_text
from topdown.stacks.profile import FunctionKind, Profile
from topdown.stacks.profile_tree import node_levels, subtree_sums
from topdown.stacks.symbols.function_table import kinds_of

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class FlameTree:
    """The nodes of a profile in preorder, the heaviest child first (ties by name).

    What truncated chains stand under comes last. ``is_truncated`` bool tells those nodes.
    All arrays are (n_nodes,) and indexed by preorder position. ``node`` is the profile's node,
    ``end`` one past the last position of the subtree, ``depth`` 0 at the root. Values are in the
    unit of the profile's source.
    """

    node: Int32
    parent: Int32
    function: Int32
    depth: Int32
    end: Int32
    self_value: Int64
    total_value: Int64
    self_samples: Int64
    total_samples: Int64
    is_truncated: npt.NDArray[np.bool_]
    position: Int32  # of each of the profile's nodes: position[node[i]] == i


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle of the graph; ``folded`` counts siblings too narrow to stand alone.

    A remainder (``folded`` > 0) has the position of the heaviest frame folded into it.
    """

    depth: int
    x_px: float
    width_px: float
    position: int
    value: int
    samples: int
    folded: int = 0


def _name_order(profile: Profile) -> Int64:
    """The rank of each function by its shown name."""
    names = [function_text(function.name) for function in profile.functions]
    ranks = np.empty(len(names), dtype=np.int64)
    ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return ranks


def _sibling_offsets(
    profile: Profile, total: Int64, size: Int64, last: npt.NDArray[np.bool_]
) -> Int64:
    """How many nodes stand before each node in its siblings' subtrees, the heaviest first."""
    parent = profile.node_parent
    offset = np.zeros(len(parent), dtype=np.int64)
    # Most nodes are only children: sorting the others alone takes a third of the time.
    children = np.bincount(parent[1:], minlength=len(parent))
    rows = 1 + np.flatnonzero(children[parent[1:]] > 1)
    names = _name_order(profile)[profile.node_function[rows]]
    order = rows[np.lexsort((names, -total[rows], last[rows], parent[rows]))]
    sizes_before = np.cumsum(size[order]) - size[order]
    is_first = np.diff(parent[order], prepend=-1) != 0
    group_start = np.maximum.accumulate(np.where(is_first, np.arange(len(order)), 0))
    offset[order] = sizes_before - sizes_before[group_start]
    return offset


def flame_tree(profile: Profile) -> FlameTree:
    """The tree of ``profile`` in drawing order, with self and total per node."""
    parent = profile.node_parent
    n_nodes = len(parent)
    levels = node_levels(parent)
    self_value = np.zeros(n_nodes, dtype=np.int64)
    self_samples = np.zeros(n_nodes, dtype=np.int64)
    np.add.at(self_value, profile.weight_node, profile.weight_value)
    np.add.at(self_samples, profile.weight_node, profile.weight_samples)
    total = subtree_sums(levels, parent, self_value)
    size = subtree_sums(levels, parent, np.ones(n_nodes, dtype=np.int64))

    kinds = kinds_of(profile.functions)[profile.node_function]
    is_truncated = (kinds == FunctionKind.TRUNCATED) & (parent == 0)
    offset = _sibling_offsets(profile, total, size, is_truncated)
    position = np.zeros(n_nodes, dtype=np.int64)
    depth = np.zeros(n_nodes, dtype=np.int64)
    for level, nodes in enumerate(levels[1:], start=1):
        position[nodes] = position[parent[nodes]] + 1 + offset[nodes]
        depth[nodes] = level
    node = np.argsort(position).astype(np.int32)
    above = parent[node]
    return FlameTree(
        node=node,
        parent=np.where(above < 0, -1, position[above]).astype(np.int32),
        function=profile.node_function[node],
        depth=depth[node].astype(np.int32),
        end=(position + size)[node].astype(np.int32),
        self_value=self_value[node],
        total_value=total[node],
        self_samples=self_samples[node],
        total_samples=subtree_sums(levels, parent, self_samples)[node],
        is_truncated=is_truncated[node],
        position=position.astype(np.int32),
    )


def lay_out(tree: FlameTree, width_px: float, least_px: float = 1.0) -> list[Rectangle]:
    """The rectangles of the whole tree over ``width_px``, parents before their children.

    Children stand from the left, the heaviest first. Those narrower than ``least_px`` are folded
    into one remainder at their right; a remainder narrower than that is left out, and so is what
    stands on frames that were folded. What truncated chains stand under is right of all that.
    """
    grand_total = int(tree.total_value[0])
    if grand_total <= 0:
        return []
    scale = width_px / grand_total
    root = Rectangle(0, 0.0, width_px, 0, grand_total, int(tree.total_samples[0]))
    rectangles = [root]
    pending = [root]
    while pending:
        above = pending.pop()
        drawn = _children(tree, above, scale, least_px)
        rectangles += drawn
        pending += [child for child in reversed(drawn) if not child.folded]
    return rectangles


def _children(tree: FlameTree, above: Rectangle, scale: float, least_px: float) -> list[Rectangle]:
    """The rectangles of one frame's children: wide ones, their remainder, truncated chains."""
    child, end = above.position + 1, int(tree.end[above.position])
    apart = np.flatnonzero(tree.is_truncated).tolist() if above.position == 0 else []
    whole_end = apart[0] if apart else end
    widths: list[tuple[int, int, int, int]] = []  # position, value, samples, folded
    while child < whole_end and int(tree.total_value[child]) * scale >= least_px:
        widths.append((child, int(tree.total_value[child]), int(tree.total_samples[child]), 0))
        child = int(tree.end[child])
    if child < whole_end and (rest := _remainder(tree, child, whole_end)):
        widths.append((child, *rest))
    for root in apart:
        widths.append((root, int(tree.total_value[root]), int(tree.total_samples[root]), 0))
    drawn: list[Rectangle] = []
    x_px = above.x_px
    for position, value, samples, folded in widths:
        width_px = value * scale
        if width_px >= least_px:
            drawn.append(
                Rectangle(above.depth + 1, x_px, width_px, position, value, samples, folded)
            )
            x_px += width_px
    return drawn


def _remainder(tree: FlameTree, child: int, end: int) -> tuple[int, int, int] | None:
    """Value, samples and number of the siblings from ``child`` to ``end``, if they weigh."""
    siblings = np.flatnonzero(tree.parent[child:end] == tree.parent[child]) + child
    value = int(tree.total_value[siblings].sum())
    if value <= 0:
        return None
    return value, int(tree.total_samples[siblings].sum()), len(siblings)
