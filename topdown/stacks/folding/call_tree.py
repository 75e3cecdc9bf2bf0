"""A call tree of stacks of functions: stacks with a common prefix share its nodes."""

import numpy as np
import numpy.typing as npt
from msgspec import Struct


class Chains(Struct, frozen=True):
    """Call chains, outermost first: chain i is ``function[offset[i]:offset[i + 1]]``, int64."""

    offset: npt.NDArray[np.int64]
    function: npt.NDArray[np.int64]

    def select(self, chains: npt.NDArray[np.int64]) -> "Chains":
        """Return the chains with these indexes, in this order; indexes may repeat."""
        starts = self.offset[chains]
        lengths = self.offset[chains + 1] - starts
        bounds = np.append(0, np.cumsum(lengths))
        indexes = np.repeat(starts - bounds[:-1], lengths) + np.arange(bounds[-1])
        return Chains(bounds, self.function[indexes])

    def prepend(
        self, selected: npt.NDArray[np.bool_], function: npt.NDArray[np.int64] | int
    ) -> "Chains":
        """Return the chains with ``function`` added at the outermost end of the selected ones."""
        if not selected.any():
            return self
        added = np.insert(self.function, self.offset[:-1][selected], function)
        return Chains(self.offset + np.append(0, np.cumsum(selected)), added)


class CallTree(Struct, frozen=True):
    """Nodes as in a Profile, and the node at which each chain ends, int64 (n_chains,)."""

    parent: npt.NDArray[np.int32]
    function: npt.NDArray[np.int32]
    leaf: npt.NDArray[np.int64]


def build_tree(chains: Chains, root_function: int) -> CallTree:
    """Return the tree of all chains; node 0 is the root, and nodes are ordered by level.

    Each level sorts the remaining chains: the cost is that of sorting the frames of all chains.
    """
    lengths = np.diff(chains.offset)
    leaf = np.zeros(len(lengths), np.int64)
    parents = [np.array([-1], np.int64)]
    functions = [np.array([root_function], np.int64)]
    count = 1
    base = int(chains.function.max(initial=0)) + 1
    active = np.flatnonzero(lengths > 0)
    nodes = leaf[active]
    depth = 0
    while len(active):
        keys = nodes * base + chains.function[chains.offset[active] + depth]
        unique, inverse = np.unique(keys, return_inverse=True)
        parents.append(unique // base)
        functions.append(unique % base)
        nodes = inverse + count
        count += len(unique)
        depth += 1
        continues = lengths[active] > depth
        leaf[active[~continues]] = nodes[~continues]
        active, nodes = active[continues], nodes[continues]
    return CallTree(
        np.concatenate(parents).astype(np.int32), np.concatenate(functions).astype(np.int32), leaf
    )


def outermost_first(
    offset: npt.NDArray[np.uint64], frame: npt.NDArray[np.uint32], stacks: npt.NDArray[np.intp]
) -> Chains:
    """Return the frames of the selected stacks, reversed from leaf first to outermost first."""
    starts = offset[stacks].astype(np.int64)
    ends = offset[stacks + 1].astype(np.int64)
    bounds = np.append(0, np.cumsum(ends - starts))
    indexes = np.repeat(ends - 1 + bounds[:-1], ends - starts) - np.arange(bounds[-1])
    return Chains(bounds, frame[indexes].astype(np.int64))
