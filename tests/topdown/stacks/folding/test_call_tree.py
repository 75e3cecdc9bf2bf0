"""Call chains and their tree."""

import numpy as np

from topdown.stacks.folding.call_tree import Chains, build_tree


def chains(*functions: list[int]) -> Chains:
    offset = np.append(0, np.cumsum([len(chain) for chain in functions])).astype(np.int64)
    return Chains(offset, np.array([item for chain in functions for item in chain], np.int64))


def lists(selected: Chains) -> list[list[int]]:
    return [part.tolist() for part in np.split(selected.function, selected.offset[1:-1])]


def test_selected_chains_may_repeat() -> None:
    whole = chains([1, 2], [], [3])
    assert lists(whole.select(np.array([2, 0, 0, 1]))) == [[3], [1, 2], [1, 2], []]


def test_common_beginnings_share_nodes_which_are_ordered_by_level() -> None:
    tree = build_tree(chains([1, 2, 3], [1, 2, 4], [5]), 0)
    paths = []
    for node in range(len(tree.parent)):
        path, at = [], node
        while at > 0:
            path.append(int(tree.function[at]))
            at = int(tree.parent[at])
        paths.append(path[::-1])
    assert paths[0] == []
    assert sorted(paths[1:]) == [[1], [1, 2], [1, 2, 3], [1, 2, 4], [5]]
    assert [len(path) for path in paths] == sorted(len(path) for path in paths)
