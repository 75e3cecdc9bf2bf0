"""The tree of a profile, level by level."""

import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


def node_levels(parent: Int32) -> list[Int64]:
    """Return the nodes by depth: element d holds the nodes at depth d."""
    by_parent = np.argsort(parent, kind="stable")
    first = np.searchsorted(parent[by_parent], np.arange(len(parent) + 1))
    levels: list[Int64] = []
    frontier = np.flatnonzero(parent < 0)
    while len(frontier):
        levels.append(frontier)
        counts = first[frontier + 1] - first[frontier]
        starts = np.repeat(first[frontier] - np.cumsum(counts) + counts, counts)
        frontier = by_parent[starts + np.arange(counts.sum())]
    return levels


def subtree_sums(levels: list[Int64], parent: Int32, values: Int64) -> Int64:
    """Return the sum of ``values`` over each node and its descendants."""
    total = values.copy()
    for nodes in reversed(levels[1:]):
        np.add.at(total, parent[nodes], total[nodes])
    return total
