"""Weights of the confidence of findings, fitted to series of the lab and checked on other programs.

A finding of a program is checked with weights that were fitted without all findings of that entry,
its look-alike and cured variant included, so that no program confirms itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.diagnose.confidence import confidence, features, is_calibrated
from harness.labs.diagnose.entries import CONTROL, LIVE
from harness.labs.diagnose.result import DiagnoseLabResult
from harness.labs.diagnose.scoring import brier_score

Weights = tuple[float, float, float]
# The prior of the weights: no information in the constant and the cost, the rating as it is. The
# rating's is stronger, because few findings of the series are false, and none of some rules.
_PRIOR: Weights = (0.0, 1.0, 0.0)
_PRIOR_STRENGTH: Weights = (0.5, 5.0, 0.5)
_STEPS = 50


@dataclass(frozen=True, slots=True)
class JudgedFinding:
    """A finding of an entry, and whether it is true."""

    entry: str
    rating: float
    cost_share: float
    true: bool


@dataclass(frozen=True, slots=True)
class FitCheck:
    """Brier scores over all findings, each by weights that were fitted without its program.

    ``constant``: of the share of true findings of the other programs, as a confidence for all.
    """

    findings: int
    true: int
    brier: float
    constant: float
    uncalibrated: float


def judged_findings(results: Iterable[DiagnoseLabResult]) -> list[JudgedFinding]:
    """Return the judged findings of all live entries and controls, disturbed runs included."""
    return [
        JudgedFinding(entry.name, finding.rating, finding.cost_share, finding.true)
        for result in results
        for entry in result.of_kind(LIVE, CONTROL)
        for run in entry.runs
        for finding in run.judged
        if finding.rating is not None and is_calibrated(finding.cause, modelled=finding.modelled)
    ]


def fitted_weights(rows: Sequence[JudgedFinding]) -> Weights:
    """Return the weights of a logistic regression with a weak prior, by Newton's method."""
    prior, strength = np.array(_PRIOR), np.diag(_PRIOR_STRENGTH)
    weights = prior.copy()
    values = np.array([features(row.rating, row.cost_share) for row in rows]).reshape(-1, 3)
    truth = np.array([row.true for row in rows], np.float64)
    for _ in range(_STEPS):
        shares: npt.NDArray[np.float64] = 1 / (1 + np.exp(-values @ weights))
        slope = values.T @ (shares - truth) + strength @ (weights - prior)
        curvature = (values.T * (shares * (1 - shares))) @ values + strength
        weights = weights - np.linalg.solve(curvature, slope)
    constant, rating, cost = weights.tolist()
    return constant, rating, cost


def checked_fit(rows: Sequence[JudgedFinding]) -> FitCheck:
    """Return the scores of confidences and of constants that are fitted to other programs."""
    own: list[tuple[float, bool]] = []
    constants: list[tuple[float, bool]] = []
    for entry in dict.fromkeys(row.entry for row in rows):
        others = [row for row in rows if row.entry != entry]
        weights = fitted_weights(others)
        share = sum(row.true for row in others) / max(1, len(others))
        for row in rows:
            if row.entry == entry:
                own.append((confidence(row.rating, row.cost_share, weights), row.true))
                constants.append((share, row.true))
    return FitCheck(
        findings=len(rows),
        true=sum(row.true for row in rows),
        brier=brier_score(own),
        constant=brier_score(constants),
        uncalibrated=brier_score([(row.rating, row.true) for row in rows]),
    )
