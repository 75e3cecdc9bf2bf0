"""Shares of a profile's weight by the kind of a stack's innermost or outermost function."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.profile_tree import node_levels
from topdown.stacks.symbols.function_table import kinds_of

Int32 = npt.NDArray[np.int32]


def leaf_shares(
    functions: Sequence[Function],
    parent: Int32,
    function: Int32,
    node: Int32,
    weight: npt.NDArray[np.int64],
) -> tuple[float, float]:
    """Return the shares without a symbol and with a truncated stack, 0..1; NaN without weight.

    ``parent`` and ``function``: of the tree's nodes. ``node`` and ``weight``: of the leaves.
    """
    value = weight.astype(np.float64)  # the sum may exceed 64 bits
    total = float(value.sum())
    if not total:
        return float("nan"), float("nan")
    kinds = kinds_of(functions)[function]
    levels = node_levels(parent)
    outermost = np.arange(len(parent))
    for nodes in levels[2:]:
        outermost[nodes] = outermost[parent[nodes]]
    unknown = value[kinds[node] == FunctionKind.UNKNOWN].sum()
    truncated = value[kinds[outermost[node]] == FunctionKind.TRUNCATED].sum()
    return float(unknown) / total, float(truncated) / total
