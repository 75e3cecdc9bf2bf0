"""Chains of names."""

import numpy as np

from topdown.stacks.folding.fold import FoldOptions, fold
from topdown.stacks.folding.named_chains import NamedChains
from topdown.stacks.symbols.symbolizer import Symbolizer


def test_chains_can_be_transformed_after_naming(shop, sources, made):
    """The transformation splits chains by sample and adds functions."""
    capture = shop("plain main", "syscall plain main start")
    capture.samples = [(0, 0, 1), (0, 0, 2), (1, 0, 4), (0, 0, 8)]
    capture.__post_init__()

    def split_by_sample(_, chains: NamedChains) -> NamedChains:
        assert chains.rows.tolist() == [0, 1, 2, 3]
        split, keys = chains.split_by(np.array([0, 1, 1, 0]))
        assert split.chain_of.tolist() == [0, 1, 2, 0]
        assert keys.tolist() == [0, 1, 1]
        assert split.reason_of.tolist() == [0, 0, -1]
        return split

    profile = fold(capture, Symbolizer(sources), FoldOptions(transform=split_by_sample))
    assert made.paths(profile) == {
        "[truncated: no frame pointers];main;plain": 3,
        "_start;main;plain;do_syscall_64": 1,
    }
    assert profile.stack_shares.truncated == 11 / 15
