"""The storm lab's verdict: what the recommended limit gains the reader, and what writers pay."""

import math
from dataclasses import dataclass
from enum import StrEnum

from harness.labs.storm.plan import against_text
from harness.labs.storm.rounds import OTHERS, READER, WRITER, StormResults
from harness.labs.verdict import MIN_PAIRS, Conclusion, judge
from stallscope.statistics.estimate import Estimate

KEPT_SHARE = 0.95  # of the writer's bandwidth: less is a price
LEAST_READS = 1000  # below, p99.9 is little more than the greatest value


class StormConclusion(StrEnum):
    """What the rounds say together."""

    GAIN = "gain"
    PRICE = "gain at a price"
    LOSS = "loss"
    NO_GAIN = "no gain here"
    REFUSED = "no verdict"


@dataclass(frozen=True, slots=True)
class StormVerdict:
    """A conclusion, and the sentence that gives its reason."""

    conclusion: StormConclusion
    reason: str


def conclude(results: StormResults) -> StormVerdict:
    """Return the verdict on the recommended limit against 128 or none, both with shares.

    A gain needs all of the interval of p99's ratio below 1, and none of that of the writer's
    bandwidth below 0.95; where that interval holds 0.95 there is no verdict.
    """
    limit, other = results.recommended.limit, results.against.limit
    if limit == other:
        return StormVerdict(
            StormConclusion.NO_GAIN, f"the recommended limit is {other} itself: {_how(results)}"
        )
    wrong = sum(sum(one.errors.values()) for one in results.rounds)
    if wrong:
        return StormVerdict(
            StormConclusion.REFUSED, f"{wrong:,} requests failed: what is told is of the others"
        )
    p99 = results.ratio(results.limited, results.against, READER["p99"])
    p999 = results.ratio(results.limited, results.against, READER["p99.9"])
    writer = results.ratio(results.limited, results.against, OTHERS[WRITER])
    told = f"limit {limit} against {against_text(other)}: reader's p99 {_text(p99)}, "
    told += f"p99.9 {_text(p999)}, writer's bandwidth {_text(writer)}, "
    told += f"{p99.n} pairs of rounds"
    return _of_ratios(p99, writer, told)


def _of_ratios(p99: Estimate, writer: Estimate, told: str) -> StormVerdict:
    tail = judge(p99.reciprocal(), "p99").conclusion
    if p99.n < MIN_PAIRS or writer.median is None:
        few = f"too few rounds passed, it takes at least {MIN_PAIRS}: {told}"
        return StormVerdict(StormConclusion.REFUSED, few)
    if tail == Conclusion.LOSS:
        return StormVerdict(StormConclusion.LOSS, told)
    if tail == Conclusion.NO_GAIN:
        return StormVerdict(StormConclusion.NO_GAIN, told)
    if tail == Conclusion.GAIN and writer.is_within(KEPT_SHARE, math.inf):
        return StormVerdict(StormConclusion.GAIN, told)
    if tail == Conclusion.GAIN and writer.is_below(KEPT_SHARE):
        return StormVerdict(StormConclusion.PRICE, told)
    what = "the writer's bandwidth" if tail == Conclusion.GAIN else "the reader's p99"
    return StormVerdict(
        StormConclusion.REFUSED,
        f"the rounds disagree on {what}: {told}; measure on a quieter machine, or more and longer "
        "rounds",
    )


def _text(ratio: Estimate) -> str:
    if ratio.median is None:
        return "n/a"
    return f"{ratio.median:.3f}x ({ratio.low:.3f} to {ratio.high:.3f})"


def _how(results: StormResults) -> str:
    return results.recommended.how
