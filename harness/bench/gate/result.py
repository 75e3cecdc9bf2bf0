"""The result of `stallscope bench gate`."""

import math
import statistics
from collections.abc import Sequence
from typing import Literal

from harness.bench.gate.blocks import Block, build_differences
from harness.bench.gate.decision import Decision, percent_threshold, ratio_percent
from harness.bench.gate.options import GateOptions
from harness.bench.gate.placement import MIN_BUILDS, Placement
from harness.bench.gate.power import blocks_needed, builds_needed, power, power_of_builds
from stallscope.documents import Amount, Count, Document, Natural, Number, Record, Share
from stallscope.statistics.signed_ranks import (
    hodges_lehmann,
    lower_bound,
    signed_rank_p,
    upper_bound,
)
from stallscope.statistics.two_stages import ALPHA

CONTROL_LEVEL = 0.01  # two-sided; below it the control shows that the rate did not hold
_MIN_BLOCKS = 6
_TO_SIGMA = 1.4826  # of a median absolute deviation


class PercentChange(Record, frozen=True, kw_only=True):
    """A change in percent with its 95 % interval; None if there were too few blocks."""

    percent: Number | None
    low: Number | None
    high: Number | None
    n: Count  # differences: blocks, or builds


class GateResult(Document, frozen=True, kw_only=True, tag="stallscope.bench.gate/1"):
    """A verdict with the noise under which it was reached."""

    verdict: Literal["regression", "no regression", "undecided"]
    complete: bool  # False after Ctrl-C
    rule: str
    threshold_percent: Amount
    change: PercentChange  # of head against base; low is the bound of the two-stage test
    p: Share
    nominal_rate: Share
    stages: Natural
    blocks_per_stage: Natural
    noise_floor: PercentChange  # base again against base
    control_p: Share  # two-sided
    rate_held: bool  # whether the control shows no difference
    run_spread_percent: Amount | None  # of one run, from the control
    power: Share | None  # to find a slowdown by the threshold, with these blocks
    blocks_needed: Natural | None  # per stage, for a power of 80 %; None: over 200, or unknown
    builds: Natural  # of each side
    builds_needed: Natural | None  # with several builds; None: over 100, or unknown
    placement: Placement
    seed: Count
    blocks: tuple[Block, ...]
    base_command: tuple[str, ...]
    head_command: tuple[str, ...]
    warnings: tuple[str, ...]


def gate_result(
    options: GateOptions,
    decision: Decision,
    blocks: Sequence[Block],
    placement: Placement,
    *,
    complete: bool,
    warnings: Sequence[str],
) -> GateResult:
    """Return the result of a decision."""
    threshold = percent_threshold(options.rule.percent)
    differences = [block.difference for block in blocks]
    control = [block.control for block in blocks]
    control_p = two_sided_p(control)
    enough = len(blocks) >= _MIN_BLOCKS
    by_blocks = enough and options.builds == 1  # several builds have another test
    builds = build_differences(blocks)
    by_builds = options.builds > 1 and len(builds) >= MIN_BUILDS
    detected_share = None
    if by_blocks:
        detected_share = power(differences, threshold, options.blocks)
    elif by_builds:
        detected_share = power_of_builds(builds, threshold, len(builds))
    return GateResult(
        verdict=decision.verdict.value,
        complete=complete,
        rule=options.rule.describe(),
        threshold_percent=options.rule.percent,
        change=_change(
            decision.estimate,
            decision.low,
            decision.high,
            len(builds) if options.builds > 1 else len(blocks),
        ),
        p=decision.p,
        nominal_rate=ALPHA,
        stages=decision.stages,
        blocks_per_stage=options.blocks,
        noise_floor=_change(
            hodges_lehmann(control),
            lower_bound(control, ALPHA),
            upper_bound(control, ALPHA),
            len(control),
        ),
        control_p=control_p,
        rate_held=control_p >= CONTROL_LEVEL,
        run_spread_percent=_run_spread_percent(control) if enough else None,
        power=detected_share,
        blocks_needed=blocks_needed(differences, threshold) if by_blocks else None,
        builds=options.builds,
        builds_needed=builds_needed(builds, threshold) if by_builds else None,
        placement=placement,
        seed=options.seed,
        blocks=tuple(blocks),
        base_command=options.base.arguments,
        head_command=options.head.arguments,
        warnings=tuple(warnings),
    )


def two_sided_p(differences: Sequence[float]) -> float:
    """Return the two-sided p-value of a median of zero."""
    opposite = [-value for value in differences]
    return min(1.0, 2 * min(signed_rank_p(differences), signed_rank_p(opposite)))


def _change(estimate: float, low: float, high: float, n: int) -> PercentChange:
    return PercentChange(
        percent=ratio_percent(estimate), low=ratio_percent(low), high=ratio_percent(high), n=n
    )


def _run_spread_percent(control: Sequence[float]) -> float:
    """Return the robust standard deviation of one run: a difference has that of two."""
    deviation = statistics.median(abs(value) for value in control)
    return 100 * _TO_SIGMA * deviation / math.sqrt(2)
