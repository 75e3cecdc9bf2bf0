"""The order of the runs."""

from collections import Counter
from itertools import pairwise

from harness.labs.stages.plan import OPEN_LOADS, SATURATED, Side, run_order


def test_every_pair_has_both_sides_and_the_order_alternates() -> None:
    runs = list(run_order(4, (SATURATED, *OPEN_LOADS)))
    assert set(Counter((run.load, run.side) for run in runs).values()) == {4}
    first_sides = [run.side for run in runs[::2]]
    assert first_sides[:4] == [Side.UNSTAGED, Side.STAGED] * 2
    assert first_sides[4:8] == [Side.STAGED, Side.UNSTAGED] * 2
    for first, second in list(pairwise(runs))[::2]:
        assert (first.pair, first.load) == (second.pair, second.load)
        assert first.side is not second.side
