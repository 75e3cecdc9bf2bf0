"""Verdicts computed from interval and bar."""

import pytest

from benchmarks.cases import PEER_RANGE, Bar, Bound, Case, Quantity, difference, ours, ratio
from benchmarks.verdicts import BarVerdict, Standing, judge


def case_of(ours: list[float], peer: list[float], *bar: Bound, exact: bool = False) -> Case:
    return Case(
        name="c", metric="m", ours_command="", bar=bar, ours=tuple(ours), peer=tuple(peer),
        exact=exact,
    )  # fmt: skip


def verdict_of(case: Case) -> BarVerdict:
    verdict = judge(case)
    assert verdict is not None
    return verdict


ONES = [1.0] * 7
AROUND_1_2 = [1.1, 1.15, 1.2, 1.2, 1.25, 1.3, 1.35]


@pytest.mark.parametrize(
    ("bound", "standing"),
    [
        (ratio(at_least=1.05), Standing.MET),
        (ratio(at_least=1.25), Standing.UNDECIDED),
        (ratio(at_least=1.5), Standing.MISSED),
        (ratio(at_most=1.5), Standing.MET),
        (ratio(at_most=1.0), Standing.MISSED),
        (difference(at_most=0.5), Standing.MET),
        (ours(at_most=1.0), Standing.MISSED),
    ],
)
def test_the_whole_interval_decides(bound: Bound, standing: Standing) -> None:
    assert verdict_of(case_of(AROUND_1_2, ONES, bound)).standing is standing


def test_a_case_without_a_bar_has_no_verdict() -> None:
    assert judge(case_of(ONES, ONES)) is None


@pytest.mark.parametrize(
    ("bar", "standing"),
    [
        ((ratio(at_least=1.05), ours(at_least=9)), Standing.MISSED),
        ((ratio(at_least=1.05), ours(at_least=1.2)), Standing.UNDECIDED),
        ((ratio(at_least=1.05), ours(at_least=1.0)), Standing.MET),
    ],
)
def test_the_worst_bound_decides_a_case(bar: Bar, standing: Standing) -> None:
    assert verdict_of(case_of(AROUND_1_2, ONES, *bar)).standing is standing


def test_fewer_than_five_pairs_decide_nothing() -> None:
    verdict = verdict_of(case_of([2.0] * 4, [1.0] * 4, ratio(at_least=1.1)))
    assert verdict.standing is Standing.UNDECIDED
    assert verdict.needed == 5


def test_one_counted_value_decides() -> None:
    case = case_of([0.0], [], ours(at_most=0), exact=True)
    assert verdict_of(case).standing is Standing.MET
    case = case_of([1.0], [], ours(at_most=0), exact=True)
    assert verdict_of(case).standing is Standing.MISSED


def test_an_undecided_bound_needs_more_pairs_the_closer_the_median_is() -> None:
    far = verdict_of(case_of(AROUND_1_2, ONES, ratio(at_least=1.13)))
    close = verdict_of(case_of(AROUND_1_2, ONES, ratio(at_least=1.18)))
    assert far.standing is close.standing is Standing.UNDECIDED
    assert far.needed is not None
    assert close.needed is not None
    assert 7 < far.needed < close.needed


def test_a_median_on_the_limit_has_no_number_of_pairs() -> None:
    assert verdict_of(case_of(AROUND_1_2, ONES, ratio(at_least=1.2))).needed is None


@pytest.mark.parametrize(
    ("ours", "standing"),
    [
        ([3.0, 3.1, 3.0, 3.1, 3.0], Standing.MET),
        ([1.9, 3.1, 3.0, 3.1, 3.0], Standing.UNDECIDED),
        ([1.0, 1.1, 1.0, 1.1, 1.0], Standing.MISSED),
        ([9.0, 9.1, 9.0, 9.1, 9.0], Standing.MISSED),
    ],
)
def test_the_range_of_the_peer_bounds_both_sides(ours: list[float], standing: Standing) -> None:
    peer = [2.0, 3.0, 3.5, 4.0, 5.0]
    assert verdict_of(case_of(ours, peer, PEER_RANGE)).standing is standing


def test_the_largest_difference_of_all_pairs_decides() -> None:
    bound = Bound(Quantity.EVERY_DIFFERENCE, at_most=3)
    assert verdict_of(case_of([10.0, 12.0], [11.0, 10.0], bound)).standing is Standing.MET
    assert verdict_of(case_of([10.0, 15.0], [11.0, 10.0], bound)).standing is Standing.MISSED
