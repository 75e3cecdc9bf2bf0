"""The tree in drawing order and its rectangles."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topdown.stacks.flame.layout import FlameTree, flame_tree, lay_out
from topdown.stacks.profile import Function, FunctionKind, Profile

ROWS = [
    (("main", "cold"), 1),
    (("main", "hot", "leaf"), 6),
    (("main", "hot"), 2),
    (("main", "again", "main"), 1),
]


def names_of(profile: Profile, tree: FlameTree) -> list[str]:
    return [profile.functions[function].name for function in tree.function]


def test_preorder_has_the_heaviest_first_and_ties_by_name(
    profile_of: Callable[..., Profile],
) -> None:
    profile = profile_of(ROWS)
    tree = flame_tree(profile)
    assert names_of(profile, tree) == ["all", "main", "hot", "leaf", "again", "main", "cold"]
    assert tree.total_samples.tolist() == [10, 10, 8, 6, 1, 1, 1]
    assert tree.self_samples.tolist() == [0, 0, 2, 6, 0, 1, 1]
    assert tree.depth.tolist() == [0, 1, 2, 3, 2, 3, 2]
    assert tree.end.tolist() == [7, 7, 4, 4, 6, 6, 7]
    assert tree.position[tree.node].tolist() == list(range(7))


@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from("abc"), max_size=6), st.integers(1, 9)), max_size=20
    )
)
def test_tree_contains_every_sample_once(
    profile_of: Callable[..., Profile], rows: list[Any]
) -> None:
    profile = profile_of([(tuple(frames), samples) for frames, samples in rows])
    tree = flame_tree(profile)
    below = np.array([tree.self_value[at : tree.end[at]].sum() for at in range(len(tree.node))])
    assert (below == tree.total_value).all()
    inner = tree.parent[1:]
    assert (inner < np.arange(1, len(tree.node))).all()
    assert (tree.depth[1:] == tree.depth[inner] + 1).all()
    assert (tree.end[1:] <= tree.end[inner]).all()


def test_rectangles_are_nested_and_adjacent(profile_of: Callable[..., Profile]) -> None:
    profile = profile_of(ROWS)
    rectangles = lay_out(flame_tree(profile), 100.0)
    spans = {(r.depth, round(r.x_px), round(r.width_px)) for r in rectangles}
    assert spans == {
        (0, 0, 100), (1, 0, 100), (2, 0, 80), (3, 0, 60), (2, 80, 10), (3, 80, 10), (2, 90, 10),
    }  # fmt: skip
    assert all(rectangle.folded == 0 for rectangle in rectangles)


def test_frames_narrower_than_a_pixel_are_counted_in_a_remainder(
    profile_of: Callable[..., Profile],
) -> None:
    rows = [(("main", "hot"), 900)] + [(("main", f"cold{n}"), 1) for n in range(100)]
    rectangles = lay_out(flame_tree(profile_of(rows)), 500.0)
    (rest,) = [rectangle for rectangle in rectangles if rectangle.folded]
    assert (rest.folded, rest.samples, rest.width_px) == (100, 100, 50.0)
    assert rest.x_px == 450.0
    assert len(rectangles) == 4


def test_truncated_chains_are_right_of_all_others(profile_of: Callable[..., Profile]) -> None:
    """They come after the remainder of narrow frames, with any weight."""
    cut = [Function(f"[truncated: {why}]", "", FunctionKind.TRUNCATED) for why in ("rare", "often")]
    rows = [(("main",), 300), (("thread",), 100), ((cut[0], "main"), 100), ((cut[1], "f"), 400)]
    rows += [((f"narrow{n}",), 1) for n in range(100)]
    profile = profile_of(rows)
    tree = flame_tree(profile)
    assert names_of(profile, tree)[-4:] == ["[truncated: often]", "f", "[truncated: rare]", "main"]
    rectangles = lay_out(tree, 500.0)
    names = names_of(profile, tree)
    row = sorted(
        (r.x_px, r.width_px, r.folded, names[r.position]) for r in rectangles if r.depth == 1
    )
    assert row == [
        (0.0, 150.0, 0, "main"),
        (150.0, 50.0, 0, "thread"),
        (200.0, 50.0, 100, "narrow0"),
        (250.0, 200.0, 0, "[truncated: often]"),
        (450.0, 50.0, 0, "[truncated: rare]"),
    ]


def test_an_empty_profile_has_no_rectangle(profile_of: Callable[..., Profile]) -> None:
    assert lay_out(flame_tree(profile_of([])), 100.0) == []


def test_a_very_deep_stack_is_laid_out(profile_of: Callable[..., Profile]) -> None:
    deep = flame_tree(profile_of([(tuple("ab" * 2000), 3)]))
    assert len(lay_out(deep, 100.0)) == 4001


@pytest.mark.parametrize("width_px", [1.0, 333.0])
def test_rectangles_of_a_row_do_not_overlap(
    profile_of: Callable[..., Profile], width_px: float
) -> None:
    rows = [((f"f{n % 7}", f"g{n % 5}", f"h{n}"), 1 + n % 11) for n in range(60)]
    rectangles = lay_out(flame_tree(profile_of(rows)), width_px)
    for depth in range(5):
        row = sorted((r.x_px, r.width_px) for r in rectangles if r.depth == depth)
        for (x_px, width), (next_px, _) in pairwise(row):
            assert x_px + width <= next_px + 1e-6
