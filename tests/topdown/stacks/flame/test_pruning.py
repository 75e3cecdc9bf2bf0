"""Pruning a profile to the limit of a page: sums stay, removed stacks become one frame."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topdown.stacks.flame.pruning import FOLDED, prune
from topdown.stacks.profile import Thread
from topdown.stacks.ranking import rank

THREADS = (Thread(1, 1, "it", "main"), Thread(1, 2, "it", "worker"))
STACKS = st.lists(
    st.tuples(
        st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6),
        st.integers(1, 50),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=40,
)


def test_a_profile_within_the_limit_is_unchanged(profile_of) -> None:
    profile = profile_of([(("main", "work"), 3)])
    assert prune(profile, 100) is profile


def test_the_lightest_stacks_are_folded_into_one_frame(profile_of) -> None:
    rows = [(("main", "hot"), 1000)] + [(("main", f"rare_{number}"), 1) for number in range(20)]
    pruned = prune(profile_of(rows), 10)
    names = [pruned.functions[function].name for function in pruned.node_function]
    assert len(names) <= 10
    assert names.count(FOLDED.name) == 1
    place = names.index(FOLDED.name)
    assert names[pruned.node_parent[place]] == "main"
    kept_rare = sum(name.startswith("rare") for name in names)
    assert pruned.weight_samples[pruned.weight_node == place].sum() == 20 - kept_rare
    assert "stacks-folded" in [warning.code for warning in pruned.warnings]


@given(rows=STACKS, most=st.integers(4, 30))
def test_pruning_keeps_sums_and_order(profile_of, rows, most: int) -> None:
    profile = profile_of(rows, threads=THREADS)
    pruned = prune(profile, most)
    if pruned is profile:
        assert len(profile.node_parent) <= most
        return
    assert len(pruned.node_parent) <= most
    assert np.all(pruned.node_parent[1:] < np.arange(1, len(pruned.node_parent)))
    assert pruned.node_parent[0] == -1
    assert pruned.weight_samples.sum() == profile.weight_samples.sum()
    before = {(row.index, row.value, row.samples) for row in rank(profile).threads}
    assert {(row.index, row.value, row.samples) for row in rank(pruned).threads} == before
    totals = {profile.functions[r.index].name: r.total_value for r in rank(profile).functions}
    for row in rank(pruned).functions:
        name = pruned.functions[row.index].name
        if name != FOLDED.name:
            assert row.total_value <= totals[name]


def test_a_page_of_one_node_is_possible(profile_of) -> None:
    pruned = prune(profile_of([(("main", "work"), 3)]), 2)
    assert [pruned.functions[f].name for f in pruned.node_function] == ["all", FOLDED.name]
    assert pruned.weight_samples.tolist() == pytest.approx([3])
