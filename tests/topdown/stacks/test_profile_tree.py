"""The tree of a profile, level by level."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topdown.stacks.profile_tree import node_levels, subtree_sums

# 0 is the root; 1 and 2 are its children; 3 and 4 those of 1.
PARENT = np.array([-1, 0, 0, 1, 1], np.int32)


def test_nodes_are_grouped_by_depth() -> None:
    assert [level.tolist() for level in node_levels(PARENT)] == [[0], [1, 2], [3, 4]]


def test_a_sum_includes_all_descendants() -> None:
    own = np.array([1, 2, 4, 8, 16], np.int64)
    assert subtree_sums(node_levels(PARENT), PARENT, own).tolist() == [31, 26, 4, 8, 16]
    assert own.tolist() == [1, 2, 4, 8, 16]


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=50), st.randoms())
def test_the_root_has_the_sum_of_all_nodes(values: list[int], random: object) -> None:
    choose = random.randrange  # type: ignore[attr-defined]
    parent = np.array([-1, *(choose(n) for n in range(1, len(values)))], np.int32)
    levels = node_levels(parent)
    assert sorted(np.concatenate(levels).tolist()) == list(range(len(values)))
    assert subtree_sums(levels, parent, np.array(values, np.int64))[0] == sum(values)
