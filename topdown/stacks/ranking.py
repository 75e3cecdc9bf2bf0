"""The functions and threads of a profile, ranked by weight."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from topdown.stacks.profile import FunctionKind, Profile
from topdown.stacks.symbols.function_table import kinds_of


class RankedFunction(Struct, frozen=True):
    """A function's weight: self, and total with its callees (counted once per stack)."""

    index: int  # into Profile.functions
    self_value: int
    total_value: int
    self_samples: int


class RankedThread(Struct, frozen=True):
    """A thread's weight."""

    index: int  # into Profile.threads
    value: int
    samples: int


@dataclass(frozen=True, slots=True)
class RankedFunctions(Sequence[RankedFunction]):
    """Ranked functions as int64 arrays (n,); rows are created on demand (up to 250,000)."""

    function: npt.NDArray[np.int64]
    self_value: npt.NDArray[np.int64]
    total_value: npt.NDArray[np.int64]
    self_samples: npt.NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of functions."""
        return len(self.function)

    @overload
    def __getitem__(self, position: int) -> RankedFunction: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[RankedFunction, ...]: ...
    def __getitem__(self, position: int | slice) -> RankedFunction | tuple[RankedFunction, ...]:
        """Return the row at ``position``."""
        if isinstance(position, slice):
            return tuple(self[number] for number in range(*position.indices(len(self))))
        return RankedFunction(
            int(self.function[position]),
            int(self.self_value[position]),
            int(self.total_value[position]),
            int(self.self_samples[position]),
        )


class Ranking(Struct, frozen=True):
    """Functions by self value, then total; threads by value.

    The root and the groups of truncated chains are not included.
    """

    value: int  # of the whole profile
    functions: Sequence[RankedFunction]
    threads: tuple[RankedThread, ...]


def rank(profile: Profile) -> Ranking:
    """Return the functions and threads of a profile, the heaviest first.

    A function that occurs several times in a stack counts once in its total.
    """
    nodes, count = len(profile.node_parent), len(profile.functions)
    self_value = _sum(profile.weight_node, profile.weight_value, nodes)
    self_samples = _sum(profile.weight_node, profile.weight_samples, nodes)
    depth, is_recursive = _depths(profile.node_parent, profile.node_function)
    total = _totals(profile.node_parent, depth, self_value)
    outer = ~is_recursive
    function_self = _sum(profile.node_function, self_value, count)
    function_samples = _sum(profile.node_function, self_samples, count)
    function_total = _sum(profile.node_function[outer], total[outer], count)
    order = np.lexsort((np.arange(count), -function_total, -function_self))
    kinds = kinds_of(profile.functions)[order]
    order = order[(kinds != FunctionKind.ROOT) & (kinds != FunctionKind.TRUNCATED)]
    rows = RankedFunctions(
        order, function_self[order], function_total[order], function_samples[order]
    )
    return Ranking(int(profile.weight_value.sum()), rows, _rank_threads(profile))


def outermost(profile: Profile) -> npt.NDArray[np.bool_]:
    """Return which nodes have no ancestor with the same function, bool (n_nodes,).

    Their subtrees together are the subtree of the function, with each stack counted once.
    """
    return ~_depths(profile.node_parent, profile.node_function)[1]


def _totals(
    parent: npt.NDArray[np.int32],
    depth: npt.NDArray[np.int32],
    self_value: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Return the sum of values over each node and its descendants."""
    total = self_value.copy()
    order = np.argsort(depth, kind="stable")
    bounds = np.flatnonzero(np.diff(depth[order])) + 1
    for level in reversed(np.split(order, bounds)[1:]):
        np.add.at(total, parent[level], total[level])
    return total


def _depths(
    parent: npt.NDArray[np.int32], function: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
    """Return each node's depth, and whether an ancestor has the same function."""
    depth = np.zeros(len(parent), np.int32)
    is_recursive = np.zeros(len(parent), np.bool_)
    rows = np.flatnonzero(parent >= 0).astype(np.int32)
    above = parent[rows]
    node_function = function[rows]
    while len(rows):
        depth[rows] += 1
        is_recursive[rows[function[above] == node_function]] = True
        above = parent[above]
        continues = above >= 0
        rows, above, node_function = rows[continues], above[continues], node_function[continues]
    return depth, is_recursive


def _sum(
    index: npt.NDArray[np.int32], values: npt.NDArray[np.int64], count: int
) -> npt.NDArray[np.int64]:
    sums = np.zeros(count, np.int64)
    np.add.at(sums, index, values)
    return sums


def _rank_threads(profile: Profile) -> tuple[RankedThread, ...]:
    count = len(profile.threads)
    value = _sum(profile.weight_thread, profile.weight_value, count)
    samples = _sum(profile.weight_thread, profile.weight_samples, count)
    order = np.lexsort((np.arange(count), -value))
    return tuple(
        RankedThread(*row)
        for row in zip(order.tolist(), value[order].tolist(), samples[order].tolist(), strict=True)
    )
