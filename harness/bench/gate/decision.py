"""The decision of a gate from the differences of its blocks.

A gate reports a regression if the estimate is at least the threshold and the lower bound is above
zero. The lower bound is that of the two-stage test, whose rate of false alarms is 2.5 %; the
threshold only lowers it. The data of a measurement and of a simulation take the same way.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from harness.bench.gate.blocks import Block, build_differences
from stallscope.statistics.signed_ranks import (
    hodges_lehmann,
    lower_bound,
    signed_rank_p,
    upper_bound,
)
from stallscope.statistics.two_stages import (
    ALPHA,
    FUTILITY,
    overall_p,
    two_stage_bound,
)


class GateVerdict(StrEnum):
    """What a gate reports."""

    REGRESSION = "regression"
    NO_REGRESSION = "no regression"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict; differences of logarithms."""

    verdict: GateVerdict
    estimate: float
    low: float  # -inf with too few blocks
    high: float  # of the other one-sided test at 2.5 %
    p: float  # one-sided
    stages: int


def decide(first: Sequence[float], second: Sequence[float], threshold: float) -> Decision:
    """Return the decision after one stage (``second`` is empty) or two."""
    differences = [*first, *second]
    first_p = signed_rank_p(first)
    second_p = signed_rank_p(second) if second else None
    return _decision(
        differences,
        low=two_stage_bound(first, second),
        p=overall_p(first_p, second_p),
        threshold=threshold,
        stages=2 if second else 1,
    )


def decide_builds(blocks: Sequence[Block], threshold: float) -> Decision:
    """Return the decision over several builds: one difference per build, in one stage.

    Blocks of one build share its placement, so the build is the unit.
    """
    units = build_differences(blocks)
    return _decision(
        units,
        low=lower_bound(units, ALPHA),
        p=signed_rank_p(units),
        threshold=threshold,
        stages=1,
    )


def _decision(
    differences: Sequence[float], *, low: float, p: float, threshold: float, stages: int
) -> Decision:
    estimate = hodges_lehmann(differences)
    high = upper_bound(differences, ALPHA)
    verdict = GateVerdict.UNDECIDED
    if estimate >= threshold and low > 0:
        verdict = GateVerdict.REGRESSION
    elif high < threshold:
        verdict = GateVerdict.NO_REGRESSION
    return Decision(verdict, estimate, low, high, p, stages)


def ends_after_first(first: Sequence[float], decision: Decision) -> bool:
    """Return whether the second stage cannot change the verdict, or must not."""
    if decision.verdict is not GateVerdict.UNDECIDED:
        return True
    p = signed_rank_p(first)
    return p > FUTILITY


def run_stages(
    measure: Callable[[int], Sequence[Block]], blocks_per_stage: int, threshold: float
) -> tuple[Decision, list[Block]]:
    """Return the decision and all blocks; ``measure`` takes a number and returns that many blocks.

    Fewer blocks than requested mean that the measurement was interrupted.
    """
    blocks = list(measure(blocks_per_stage))
    first = [block.difference for block in blocks]
    decision = decide(first, (), threshold)
    if len(blocks) < blocks_per_stage or ends_after_first(first, decision):
        return decision, blocks
    fresh = list(measure(blocks_per_stage))
    second = [block.difference for block in fresh]
    if not second:
        return decision, blocks
    return decide(first, second, threshold), [*blocks, *fresh]


def percent_threshold(percent: float) -> float:
    """Return the difference of logarithms of a slowdown in percent."""
    return math.log1p(percent / 100)


def ratio_percent(difference: float) -> float | None:
    """Return the change in percent of a difference of logarithms; None if it is not finite."""
    return 100 * math.expm1(difference) if math.isfinite(difference) else None
