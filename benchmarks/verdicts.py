"""The verdict on a bar, computed from the interval of the measured quantity.

A bound is met if the whole interval satisfies it, missed if no part of it does, and undecided
otherwise. A case is missed if one of its bounds is missed, and met if all are met.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.cases import Bound, Case, Quantity
from stallscope.statistics.estimate import (
    CONFIDENCE_OF_FIVE,
    Estimate,
    median_estimate,
    min_sample_size,
)
from stallscope.statistics.pairs import paired_differences, paired_ratios

CONFIDENCE = CONFIDENCE_OF_FIVE
MIN_PAIRS = min_sample_size(CONFIDENCE)
MAX_PAIRS_NEEDED = 1000  # beyond it the number is not worth stating


class Standing(StrEnum):
    """Whether a bar is met."""

    MISSED = "missed"
    UNDECIDED = "undecided"
    MET = "met"


@dataclass(frozen=True, slots=True)
class BarVerdict:
    """The standing of a bar, and the bound and the measured quantity that decide it.

    ``needed`` is the number of pairs that would probably decide an undecided bound; None if it is
    not undecided or more than MAX_PAIRS_NEEDED pairs are needed.
    """

    standing: Standing
    bound: Bound
    measured: Estimate
    needed: int | None = None


def comparison(case: Case) -> Estimate | None:
    """Return ours against the peer, pair by pair; None without a peer."""
    if not case.peer:
        return None
    return _measured(case, Quantity.DIFFERENCE if case.by_difference else Quantity.RATIO)


def judge(case: Case) -> BarVerdict | None:
    """Return the verdict on the bar of a case, by its worst bound; None without a bar."""
    order = list(Standing)
    verdicts = [_judge_bound(case, bound) for bound in case.bar]
    return min(verdicts, key=lambda verdict: order.index(verdict.standing), default=None)


def _measured(case: Case, quantity: Quantity) -> Estimate:
    if quantity is Quantity.RATIO:
        values = paired_ratios(case.ours, case.peer)
    elif quantity is Quantity.DIFFERENCE:
        values = paired_differences(case.ours, case.peer)
    elif quantity is Quantity.EVERY_DIFFERENCE:
        pairs = paired_differences(case.ours, case.peer)
        largest = max(abs(value) for value in pairs)
        return Estimate(largest, largest, largest, len(pairs))
    else:
        values = list(case.ours)
    return median_estimate(values, confidence=CONFIDENCE)


def _judge_bound(case: Case, bound: Bound) -> BarVerdict:
    measured = _measured(case, bound.quantity)
    low = -math.inf if bound.at_least is None else bound.at_least
    high = math.inf if bound.at_most is None else bound.at_most
    if bound.quantity is Quantity.PEER_RANGE:
        low, high = min(case.peer), max(case.peer)
    decides = case.exact or bound.quantity is Quantity.EVERY_DIFFERENCE
    if measured.n < MIN_PAIRS and not decides:
        return BarVerdict(Standing.UNDECIDED, bound, measured, MIN_PAIRS)
    if measured.is_within(low, high):
        return BarVerdict(Standing.MET, bound, measured)
    if measured.is_below(low) or measured.is_above(high):
        return BarVerdict(Standing.MISSED, bound, measured)
    return BarVerdict(Standing.UNDECIDED, bound, measured, _pairs_needed(measured, low, high))


def _pairs_needed(measured: Estimate, low: float, high: float) -> int | None:
    """Return the number of pairs whose interval would no longer contain a limit.

    The width of the interval shrinks with the square root of the number of pairs.
    """
    assert measured.median is not None
    assert measured.low is not None
    assert measured.high is not None
    needed = MIN_PAIRS
    for limit in (low, high):
        if not measured.low <= limit <= measured.high:
            continue
        end = measured.low if limit < measured.median else measured.high
        gap = abs(limit - measured.median)
        if gap == 0:
            return None
        pairs = math.floor(measured.n * ((end - measured.median) / gap) ** 2) + 1
        needed = max(needed, pairs, measured.n + 1)
    return needed if needed <= MAX_PAIRS_NEEDED else None
