"""The verdict of a lab: what the ratios of its pairs allow to conclude."""

from dataclasses import dataclass
from enum import StrEnum

from stallscope.statistics.estimate import (
    CONFIDENCE_OF_FIVE,
    Estimate,
    median_estimate,
    min_sample_size,
)

LAB_CONFIDENCE = CONFIDENCE_OF_FIVE
MIN_PAIRS = min_sample_size(LAB_CONFIDENCE)
MIN_EFFECT = 0.02  # a smaller change of the median is no gain or loss, however certain it is
SAME_WITHIN = 0.05  # an interval this close to 1 means: no gain and no loss


class Conclusion(StrEnum):
    """The conclusion from all pairs."""

    GAIN = "gain"
    LOSS = "loss"
    NO_GAIN = "no gain here"
    REFUSED = "no verdict"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A conclusion and the sentence that gives its reason."""

    conclusion: Conclusion
    reason: str


def lab_estimate(values: list[float]) -> Estimate:
    """Return the median with its interval, at the confidence that five pairs can reach."""
    return median_estimate(values, confidence=LAB_CONFIDENCE)


def judge(ratio: Estimate, subject: str) -> Verdict:
    """Return the verdict on a ratio of which more is better.

    A gain or a loss needs the whole interval on one side of 1 and a median that differs from 1 by
    MIN_EFFECT. "No gain" needs the whole interval within SAME_WITHIN of 1. Otherwise the rounds
    disagree and there is no verdict.
    """
    if ratio.median is None or ratio.n < MIN_PAIRS:
        return Verdict(
            Conclusion.REFUSED,
            f"{ratio.n} pairs of rounds are too few; at least {MIN_PAIRS} needed",
        )
    summary = f"{subject} {ratio.median:.3f} ({ratio.low:.3f} to {ratio.high:.3f}), {ratio.n} pairs"
    if ratio.is_above(1) and ratio.median >= 1 + MIN_EFFECT:
        return Verdict(Conclusion.GAIN, summary)
    if ratio.is_below(1) and ratio.median <= 1 - MIN_EFFECT:
        return Verdict(Conclusion.LOSS, summary)
    if ratio.is_within(1 - SAME_WITHIN, 1 + SAME_WITHIN):
        return Verdict(Conclusion.NO_GAIN, summary)
    return Verdict(
        Conclusion.REFUSED,
        f"the rounds disagree: {summary}; measure on a quieter machine, or more and longer rounds",
    )
