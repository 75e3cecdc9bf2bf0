"""The verdict of a lab: the conclusion from ratios of paired rounds."""

from collections.abc import Iterable
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
EQUIVALENCE_MARGIN = 0.05  # an interval this close to 1 means: no gain and no loss


class PairConclusion(StrEnum):
    """The conclusion from all pairs."""

    GAIN = "gain"
    LOSS = "loss"
    NO_GAIN = "no gain here"
    REFUSED = "no verdict"


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """A conclusion with its reason, which is a clause."""

    conclusion: PairConclusion
    reason: str


def lab_estimate(values: Iterable[float | None]) -> Estimate:
    """Return the median of the known values with the interval that five pairs allow."""
    numbers = [value for value in values if value is not None]
    return median_estimate(numbers, confidence=LAB_CONFIDENCE)


def pair_verdict(ratio: Estimate, quantity: str) -> PairVerdict:
    """Return the verdict on the ratio of a quantity of which more is better.

    A gain or a loss needs the whole interval on one side of 1 and a median that differs from 1 by
    MIN_EFFECT. "No gain" needs the whole interval within EQUIVALENCE_MARGIN of 1. Otherwise the
    rounds disagree and there is no verdict.
    """
    if ratio.median is None or ratio.n < MIN_PAIRS:
        verb = "is" if ratio.n == 1 else "are"
        reason = f"{pairs_text(ratio.n)} {verb} too few; at least {MIN_PAIRS} are needed"
        return PairVerdict(PairConclusion.REFUSED, reason)
    text = f"{quantity} {ratio.median:.3f} ({ratio.low:.3f} to {ratio.high:.3f}), {ratio.n} pairs"
    if ratio.is_above(1) and ratio.median >= 1 + MIN_EFFECT:
        return PairVerdict(PairConclusion.GAIN, text)
    if ratio.is_below(1) and ratio.median <= 1 - MIN_EFFECT:
        return PairVerdict(PairConclusion.LOSS, text)
    if ratio.is_within(1 - EQUIVALENCE_MARGIN, 1 + EQUIVALENCE_MARGIN):
        return PairVerdict(PairConclusion.NO_GAIN, text)
    return PairVerdict(
        PairConclusion.REFUSED,
        f"the rounds disagree: {text}; measure on a quieter machine, or use more or longer rounds",
    )


def pairs_text(n: int) -> str:
    """Return a number of pairs of rounds, such as "1 pair of rounds"."""
    return f"{n} {'pair' if n == 1 else 'pairs'} of rounds"
