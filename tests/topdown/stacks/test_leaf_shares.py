"""Shares by the kind of the innermost and the outermost function."""

import math

import numpy as np

from topdown.stacks.leaf_shares import leaf_shares
from topdown.stacks.profile import Function, FunctionKind

FUNCTIONS = [
    Function("all", "", FunctionKind.ROOT),
    Function("[truncated: x]", "", FunctionKind.TRUNCATED),
    Function("main", "/x", FunctionKind.USER),
    Function("[unknown]", "", FunctionKind.UNKNOWN),
]
PARENT = np.array([-1, 0, 1, 2, 0], np.int32)  # all > truncated > main > unknown; all > main
FUNCTION = np.array([0, 1, 2, 3, 2], np.int32)


def test_a_stack_is_truncated_by_its_outermost_function() -> None:
    node, value = np.array([3, 4, 2], np.int32), np.array([20, 40, 20])
    assert leaf_shares(FUNCTIONS, PARENT, FUNCTION, node, value) == (0.25, 0.5)


def test_without_weight_there_are_no_shares() -> None:
    nothing = np.zeros(0, np.int32)
    shares = leaf_shares(FUNCTIONS, PARENT, FUNCTION, nothing, nothing.astype(np.int64))
    assert all(map(math.isnan, shares))
