"""Stacks of functions, made one tree: equal beginnings share their nodes."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Chains:
    """Call chains, outermost first: chain i is ``function[offset[i]:offset[i + 1]]``, int64."""

    offset: npt.NDArray[np.int64]
    function: npt.NDArray[np.int64]

    def taken(self, chains: npt.NDArray[np.int64]) -> "Chains":
        """Return these chains, in this order; one may be asked for several times."""
        starts = self.offset[chains]
        lengths = self.offset[chains + 1] - starts
        bounds = np.append(0, np.cumsum(lengths))
        places = np.repeat(starts - bounds[:-1], lengths) + np.arange(bounds[-1])
        return Chains(bounds, self.function[places])

    def preceded(
        self, chosen: npt.NDArray[np.bool_], function: npt.NDArray[np.int64] | int
    ) -> "Chains":
        """Return the chains, the chosen ones with one function more at their outermost end."""
        if not chosen.any():
            return self
        added = np.insert(self.function, self.offset[:-1][chosen], function)
        return Chains(self.offset + np.append(0, np.cumsum(chosen)), added)


@dataclass(frozen=True, slots=True)
class CallTree:
    """Nodes as in a Profile, and the node at which each chain ends, int64 (n_chains,)."""

    parent: npt.NDArray[np.int32]
    function: npt.NDArray[np.int32]
    leaf: npt.NDArray[np.int64]


def build_tree(chains: Chains, root_function: int) -> CallTree:
    """Return the tree of all chains; node 0 is the root, and nodes stand level by level.

    Each level sorts what is left of the chains: the cost is that of the frames in all chains.
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
        goes_on = lengths[active] > depth
        leaf[active[~goes_on]] = nodes[~goes_on]
        active, nodes = active[goes_on], nodes[goes_on]
    return CallTree(
        np.concatenate(parents).astype(np.int32), np.concatenate(functions).astype(np.int32), leaf
    )


def outermost_first(
    offset: npt.NDArray[np.uint64], frame: npt.NDArray[np.uint32], stacks: npt.NDArray[np.intp]
) -> Chains:
    """Return the frames of the chosen stacks, which stand leaf first, the other way round."""
    starts = offset[stacks].astype(np.int64)
    ends = offset[stacks + 1].astype(np.int64)
    bounds = np.append(0, np.cumsum(ends - starts))
    places = np.repeat(ends - 1 + bounds[:-1], ends - starts) - np.arange(bounds[-1])
    return Chains(bounds, frame[places].astype(np.int64))
