"""Confidence by the rating of a rule and by cost."""

import pytest

from harness.diagnose.confidence import LEAST_COST, MOST, confidence, with_confidence
from tests.harness.diagnose.diagnoses import LOCKED, diagnosis

PLAIN = (0.0, 1.0, 0.0)
STEEP = (-2.0, 1.0, 1.0)


def test_a_rating_without_weights_of_cost_is_the_confidence() -> None:
    assert confidence(0.8, 0.1, PLAIN) == pytest.approx(0.8)
    assert confidence(0.8, 0.9, PLAIN) == pytest.approx(0.8)
    assert confidence(1.0, 0.5, PLAIN) == pytest.approx(MOST)


def test_a_larger_cost_or_rating_gives_more_confidence() -> None:
    costs = [confidence(0.8, cost, STEEP) for cost in (0.0, LEAST_COST, 0.2, 0.4, 0.8)]
    assert costs[0] == costs[1]
    assert costs[1:] == sorted(costs[1:])
    ratings = [confidence(rating, 0.4) for rating in (0.6, 0.8, 0.95)]
    assert ratings == sorted(ratings)


def test_a_finding_keeps_the_rating_of_its_rule() -> None:
    finding = diagnosis(LOCKED).findings[0]
    assert finding.rating is not None
    again = with_confidence(finding)
    assert again.rating == finding.confidence
    assert finding.confidence == confidence(finding.rating, finding.cost_share)
