"""Confidence of findings: the share of such findings that was true for programs of known cause.

A logistic function of the rule's rating and of the cost; fitted to recorded series of
`stallscope lab diagnose` by `python -m benchmarks.confidence_fit`, which also checks it on programs
that were left out: docs/decisions/0080-confidence-of-findings.md.
"""

import math

from msgspec import structs

from harness.diagnose.result import Finding

# Of the constant, of the logit of the rating, and of the binary logarithm of cost over LEAST_COST.
WEIGHTS = (-0.805, 0.947, 2.081)
# Less than this share of the wall time of working threads does not stand out.
LEAST_COST = 0.1
# Causes that hardware counters show keep their rating: the series have none of them, and a rating
# there says that the counters cannot divide causes. Modelled ones are in the series.
_KEPT = frozenset(
    (
        "front-end",
        "mispredictions",
        "memory-latency",
        "memory-bandwidth",
        "remote-memory",
        "false-sharing",
        "execution-units",
        "frequency-drop",
    )
)
LEAST, MOST = 0.01, 0.99  # of a rating, and of a confidence


def features(rating: float, cost_share: float) -> tuple[float, float, float]:
    """Return the features of a finding."""
    rating = min(MOST, max(LEAST, rating))
    doublings = math.log2(max(LEAST_COST, cost_share) / LEAST_COST)
    return 1.0, math.log(rating / (1 - rating)), doublings


def confidence(
    rating: float, cost_share: float, weights: tuple[float, float, float] = WEIGHTS
) -> float:
    """Return the probability, 0..1, that a finding is true."""
    logit = sum(w * f for w, f in zip(weights, features(rating, cost_share), strict=True))
    return min(MOST, max(LEAST, 1 / (1 + math.exp(-logit))))


def is_calibrated(cause: str, *, modelled: bool) -> bool:
    """Return whether the confidence of a cause is calibrated from series of known programs."""
    return modelled or cause not in _KEPT


def with_confidence(finding: Finding) -> Finding:
    """Return a finding whose confidence is calibrated; its rating is that of the rule."""
    rating = finding.confidence
    if not is_calibrated(finding.cause, modelled=finding.modelled):
        return structs.replace(finding, rating=rating)
    return structs.replace(
        finding, rating=rating, confidence=confidence(rating, finding.cost_share)
    )
