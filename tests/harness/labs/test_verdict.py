"""Verdicts from pairs of rounds."""

import random

import pytest

from harness.labs.verdict import PairConclusion, lab_estimate, pair_verdict
from stallscope.statistics.estimate import missing


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.5, 1.6, 1.4, 1.5, 1.7], PairConclusion.GAIN),
        ([0.8, 0.9, 0.85, 0.8, 0.95], PairConclusion.LOSS),
        ([1.0, 0.99, 1.02, 1.01, 0.98], PairConclusion.NO_GAIN),
        ([1.011, 1.012, 1.013, 1.01, 1.015], PairConclusion.NO_GAIN),  # certain, and too small
        (
            [1.5, 1.6, 1.4, 1.5, 0.9],
            PairConclusion.REFUSED,
        ),  # a single round contradicts the others
        ([1.0, 1.3, 0.8, 1.0, 1.1], PairConclusion.REFUSED),
        ([1.5, 1.6, 1.4, 1.5], PairConclusion.REFUSED),  # too few
        ([], PairConclusion.REFUSED),
    ],
)
def test_the_interval_decides(values: list[float], expected: PairConclusion) -> None:
    verdict = pair_verdict(lab_estimate(values), "throughput")
    assert verdict.conclusion is expected
    assert verdict.reason


def test_the_reason_names_numbers_and_remedy() -> None:
    assert pair_verdict(lab_estimate([1.5, 1.6, 1.4, 1.5, 1.7]), "throughput").reason == (
        "throughput 1.500 (1.400 to 1.700), 5 pairs"
    )
    assert "too few" in pair_verdict(lab_estimate([2.0] * 4), "x").reason
    assert "disagree" in pair_verdict(lab_estimate([2.0, 0.5] * 3), "x").reason
    assert "too few" in pair_verdict(missing("not measured"), "x").reason


def test_a_single_odd_round_of_nine_does_not_change_the_verdict() -> None:
    assert pair_verdict(lab_estimate([1.5] * 8 + [0.5]), "x").conclusion is PairConclusion.GAIN


def test_equal_sides_are_rarely_a_gain_or_loss() -> None:
    generator = random.Random(7)
    conclusions = [
        pair_verdict(
            lab_estimate([generator.lognormvariate(0, 0.1) for _ in range(5)]), "x"
        ).conclusion
        for _ in range(400)
    ]
    wrong = sum(item in (PairConclusion.GAIN, PairConclusion.LOSS) for item in conclusions)
    assert wrong / len(conclusions) < 0.1
