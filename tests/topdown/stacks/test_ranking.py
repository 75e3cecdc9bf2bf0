"""Self and total of every function, compared with a recursive walk."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from topdown.stacks.profile import Function, FunctionKind, Profile, SampleSource, Thread
from topdown.stacks.ranking import rank


def profile_of(
    parents: list[int], functions: list[int], weights: list[tuple[int, int, int]]
) -> Profile:
    names = [Function("all", "", FunctionKind.ROOT)]
    names += [Function(f"f{i}", "m", FunctionKind.USER) for i in range(5)]
    rows = np.array(weights, np.int64).reshape(-1, 3)
    return Profile(
        source=SampleSource("cpu-clock", "measured", "ns", 999, None, "user+kernel"),
        title="", samples=len(weights), lost=0, duration_s=1.0,
        functions=tuple(names),
        threads=tuple(Thread(1, tid, "p", "t") for tid in range(3)),
        node_parent=np.array([-1, *parents], np.int32),
        node_function=np.array([0, *functions], np.int32),
        weight_node=rows[:, 0].astype(np.int32),
        weight_thread=rows[:, 1].astype(np.int32),
        weight_samples=np.ones(len(rows), np.int64),
        weight_value=rows[:, 2],
        unknown_share=0.0, truncated_share=0.0,
    )  # fmt: skip


@st.composite
def profiles(draw):
    count = draw(st.integers(0, 25))
    parents = [draw(st.integers(0, node)) for node in range(count)]
    functions = [draw(st.integers(1, 5)) for _ in range(count)]
    weight = st.tuples(st.integers(0, count), st.integers(0, 2), st.integers(1, 100))
    return profile_of(parents, functions, draw(st.lists(weight, max_size=30)))


@settings(deadline=None)
@given(profiles())
def test_values_agree_with_a_recursive_walk(profile):
    self_value, total_value, samples = ([0] * 6 for _ in range(3))
    threads = [0] * 3
    rows = zip(profile.weight_node, profile.weight_thread, profile.weight_value, strict=True)
    for node, thread, value in rows:
        threads[thread] += int(value)
        self_value[profile.node_function[node]] += int(value)
        samples[profile.node_function[node]] += 1
        on_stack, at = set(), int(node)
        while at >= 0:
            on_stack.add(int(profile.node_function[at]))
            at = int(profile.node_parent[at])
        for function in on_stack:
            total_value[function] += int(value)
    ranking = rank(profile)
    for row in ranking.functions:
        assert row.self_value == self_value[row.index]
        assert row.total_value == total_value[row.index]
        assert row.self_samples == samples[row.index]
    assert {row.index for row in ranking.functions} == set(range(1, 6))
    order = [(row.self_value, row.total_value) for row in ranking.functions]
    assert order == sorted(order, reverse=True)
    assert {row.index: row.value for row in ranking.threads} == dict(enumerate(threads))
    assert ranking.value == sum(threads)
    assert len(ranking.functions[:2]) == 2


def test_totals_beyond_float_precision_are_exact():
    large = (1 << 60) + 1
    ranking = rank(profile_of([0, 1], [1, 2], [(2, 0, large), (1, 0, 1)]))
    assert {row.index: row.total_value for row in ranking.functions if row.total_value} == {
        1: large + 1,
        2: large,
    }
