"""What pairs of rounds say, and when nothing may be concluded of them."""

import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.labs.stages.statistics import CONFIDENCE, Conclusion, judge, ratios, spread

S = Conclusion


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.5, 1.6, 1.4, 1.5, 1.7], S.GAIN),
        ([0.8, 0.9, 0.85, 0.8, 0.95], S.LOSS),
        ([1.0, 0.99, 1.02, 1.01, 0.98], S.NO_GAIN),
        ([1.011, 1.012, 1.013, 1.01, 1.015], S.NO_GAIN),  # there, and too small to be worth it
        ([1.5, 1.6, 1.4, 1.5, 0.9], S.REFUSED),  # one round says the opposite
        ([1.0, 1.3, 0.8, 1.0, 1.1], S.REFUSED),
        ([1.5, 1.6, 1.4, 1.5], S.REFUSED),  # too few
        ([], S.REFUSED),
    ],
)
def test_the_rule(values: list[float], expected: Conclusion) -> None:
    verdict = judge(spread(values), "throughput")
    assert verdict.conclusion is expected
    assert verdict.reason


def test_the_reason_names_numbers_and_what_to_do() -> None:
    assert judge(spread([1.5, 1.6, 1.4, 1.5, 1.7]), "throughput").reason == (
        "throughput 1.500 (1.400 to 1.700), 5 pairs"
    )
    assert "too few" in judge(spread([2.0] * 4), "x").reason
    assert "disagree" in judge(spread([2.0, 0.5] * 3), "x").reason


def test_one_odd_round_of_many_does_not_refuse() -> None:
    assert judge(spread([1.5] * 8 + [0.5]), "x").conclusion is S.GAIN


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=40))
def test_the_interval_holds_the_median_and_is_of_the_values(values: list[float]) -> None:
    found = spread(values)
    assert found is not None
    assert found.low <= found.median <= found.high
    assert {found.low, found.high} <= set(values)
    assert found.n == len(values)


@pytest.mark.parametrize("n", range(5, 30))
def test_the_interval_covers_as_surely_as_it_says(n: int) -> None:
    found = spread([float(value) for value in range(n)])
    assert found is not None
    outside = 2 * sum(math.comb(n, k) for k in range(int(found.low) + 1)) / 2**n
    assert 1 - outside >= CONFIDENCE


def test_readings_without_a_difference_are_seldom_called_a_gain() -> None:
    generator = random.Random(7)
    called = [
        judge(spread([generator.lognormvariate(0, 0.1) for _ in range(5)]), "x").conclusion
        for _ in range(400)
    ]
    wrong = sum(one in (S.GAIN, S.LOSS) for one in called) / len(called)
    assert wrong < 0.1


def test_pairs_without_both_values_are_left_out() -> None:
    assert ratios([2.0, None, 3.0, 1.0], [1.0, 1.0, None, 0.0]) == [2.0]
    assert spread([]) is None
    assert statistics.median(ratios([2.0], [4.0])) == 0.5
