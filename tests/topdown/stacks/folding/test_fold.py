"""Folding of hand-written captures: trees, weights, unknown and truncated shares."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topdown.stacks.folding.call_tree import Chains, build_tree
from topdown.stacks.folding.fold import fold
from topdown.stacks.profile import FunctionKind
from topdown.stacks.ranking import rank
from topdown.stacks.symbols.symbolizer import Symbolizer


def test_unknown_and_truncated_shares_are_of_the_weight(shop, sources):
    capture = shop(
        "unknown main start", "plain main", "worker fork", "syscall", "nowhere",
        periods=[1000, 2000, 4000, 8000, 16000],
    )  # fmt: skip
    profile = fold(capture, Symbolizer(sources))
    assert profile.unknown_share == pytest.approx((1000 + 16000) / 31000)
    assert profile.truncated_share == pytest.approx((2000 + 8000 + 16000) / 31000)
    unknown = [f for f in profile.functions if f.kind == FunctionKind.UNKNOWN]
    assert {f.name for f in unknown} == {"full+0x10000000000", "[unknown]+0xdead"}


def test_a_sample_without_a_stack_is_counted(shop, sources, made):
    profile = fold(shop("plain main start", ""), Symbolizer(sources))
    assert made.paths(profile) == {
        "_start;main;plain": 1,
        "[truncated: no stack];[no stack]": 1,
    }
    assert profile.unknown_share == profile.truncated_share == 0.5


def test_kernel_scope_does_not_expect_user_frames(shop, sources, made):
    capture = shop("syscall", attributes=[made.Attribute(exclude_user=True)])
    profile = fold(capture, Symbolizer(sources))
    assert (profile.source.scope, profile.truncated_share) == ("kernel", 0.0)


def test_an_empty_capture_gives_an_empty_profile(sources, made):
    profile = fold(made.Capture(attributes=[]), Symbolizer(sources))
    assert profile.samples == 0
    assert math.isnan(profile.unknown_share)
    assert math.isnan(profile.truncated_share)
    assert len(rank(profile).functions) == 0


def test_samples_without_periods_count_as_1_and_implausible_periods_are_cut(shop, sources):
    profile = fold(shop("plain main start", periods=[0]), Symbolizer(sources))
    assert int(profile.weight_value.sum()) == 1
    assert "no-periods" in {warning.code for warning in profile.warnings}
    capture = shop("plain main start", "main start")
    capture.period = np.array([2**64 - 1, 5], np.uint64)
    profile = fold(capture, Symbolizer(sources))
    assert "periods-cut" in {warning.code for warning in profile.warnings}
    assert int(profile.weight_value.sum()) > 0


def test_recursion_counts_once_in_a_total(shop, sources):
    profile = fold(shop("plain main plain main start"), Symbolizer(sources))
    totals = {profile.functions[row.index].name: row.total_value for row in rank(profile).functions}
    assert totals == {"_start": 1000, "main": 1000, "plain": 1000}


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 4), max_size=6), max_size=20))
def test_a_tree_contains_exactly_its_chains(chains):
    offset = np.cumsum([0, *(len(chain) for chain in chains)]).astype(np.int64)
    flat = np.array([function for chain in chains for function in chain], np.int64)
    tree = build_tree(Chains(offset, flat), 99)
    assert (tree.parent[1:] < np.arange(1, len(tree.parent))).all()
    pairs = list(zip(tree.parent.tolist(), tree.function.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    for chain, leaf in zip(chains, tree.leaf.tolist(), strict=True):
        path, at = [], leaf
        while at > 0:
            path.append(int(tree.function[at]))
            at = int(tree.parent[at])
        assert path[::-1] == chain


def test_records_that_are_not_read_are_warnings(shop, sources):
    capture = shop("plain main start")
    capture.unknown_records, capture.deferred_stacks = 3, 2
    profile = fold(capture, Symbolizer(sources))
    codes = [warning.code for warning in profile.warnings]
    assert codes == ["deferred-stacks", "unknown-records"]
