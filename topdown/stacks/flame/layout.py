"""Layout of a flame graph: nodes in drawing order, totals and rectangles."""

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from topdown.stacks.flame.names import function_texts
from topdown.stacks.profile import FunctionKind, Profile
from topdown.stacks.profile_tree import node_levels, subtree_sums
from topdown.stacks.symbols.function_table import kinds_of

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


class FlameTree(Struct, frozen=True):
    """The nodes of a profile in preorder, the heaviest child first (ties by name).

    Groups of truncated chains come last and are marked in ``is_truncated``.
    All arrays are (n_nodes,) and indexed by preorder position. ``node``: node of the profile;
    ``end``: one past the last position of the subtree; ``depth``: 0 at the root. Values have the
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
    position: Int32  # by node of the profile: position[node[i]] == i


class Rectangle(Struct, frozen=True):
    """A rectangle of the graph, for a frame or for the narrow siblings folded into a remainder.

    ``folded``: number of frames in a remainder, 0 for a frame. ``position`` of a remainder is that
    of its heaviest frame.
    """

    depth: int
    x_px: float
    width_px: float
    position: int
    value: int
    samples: int
    folded: int = 0


def _name_order(profile: Profile) -> Int64:
    """Return the rank of each function by its displayed name."""
    names = function_texts(profile.functions)
    ranks = np.empty(len(names), dtype=np.int64)
    ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return ranks


def _sibling_offsets(
    profile: Profile, total: Int64, size: Int64, last: npt.NDArray[np.bool_]
) -> Int64:
    """Return the number of nodes in the subtrees of the siblings drawn before each node."""
    parent = profile.node_parent
    offset = np.zeros(len(parent), dtype=np.int64)
    # Most nodes have no siblings: sorting only the others takes a third of the time.
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
    """Return the tree of ``profile`` in drawing order, with self and total values."""
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
    parent_node = parent[node]
    return FlameTree(
        node=node,
        parent=np.where(parent_node < 0, -1, position[parent_node]).astype(np.int32),
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
    """Return the rectangles of the tree over ``width_px``, parents before their children.

    Children are placed from the left, the heaviest first. Children narrower than ``least_px`` are
    folded into one remainder at the right. A remainder narrower than that and the children of
    folded frames are omitted. Groups of truncated chains are at the far right.
    """
    grand_total = int(tree.total_value[0])
    if grand_total <= 0:
        return []
    scale = width_px / grand_total
    root = Rectangle(0, 0.0, width_px, 0, grand_total, int(tree.total_samples[0]))
    rectangles = [root]
    pending = [root]
    while pending:
        parent_rectangle = pending.pop()
        drawn = _children(tree, parent_rectangle, scale, least_px)
        rectangles += drawn
        pending += [child for child in reversed(drawn) if not child.folded]
    return rectangles


def _children(
    tree: FlameTree, parent_rectangle: Rectangle, scale: float, least_px: float
) -> list[Rectangle]:
    """Return the rectangles of a frame's children, their remainder and truncated chains."""
    child, end = parent_rectangle.position + 1, int(tree.end[parent_rectangle.position])
    truncated_groups = (
        np.flatnonzero(tree.is_truncated).tolist() if parent_rectangle.position == 0 else []
    )
    complete_end = truncated_groups[0] if truncated_groups else end
    widths: list[tuple[int, int, int, int]] = []  # position, value, samples, folded
    while child < complete_end and int(tree.total_value[child]) * scale >= least_px:
        widths.append((child, int(tree.total_value[child]), int(tree.total_samples[child]), 0))
        child = int(tree.end[child])
    if child < complete_end and (remainder := _remainder(tree, child, complete_end)):
        widths.append((child, *remainder))
    for root in truncated_groups:
        widths.append((root, int(tree.total_value[root]), int(tree.total_samples[root]), 0))
    drawn: list[Rectangle] = []
    x_px = parent_rectangle.x_px
    for position, value, samples, folded in widths:
        width_px = value * scale
        if width_px >= least_px:
            drawn.append(
                Rectangle(
                    parent_rectangle.depth + 1, x_px, width_px, position, value, samples, folded
                )
            )
            x_px += width_px
    return drawn


def _remainder(tree: FlameTree, child: int, end: int) -> tuple[int, int, int] | None:
    """Return value, samples and number of the siblings from ``child`` to ``end``, None if 0."""
    siblings = np.flatnonzero(tree.parent[child:end] == tree.parent[child]) + child
    value = int(tree.total_value[siblings].sum())
    if value <= 0:
        return None
    return value, int(tree.total_samples[siblings].sum()), len(siblings)
