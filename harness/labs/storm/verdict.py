"""The verdict of a storm: what the recommended limit gains the reader and costs the writer."""

from dataclasses import dataclass
from enum import StrEnum

from harness.labs.storm.measurement import OTHERS, READER, WRITER, StormMeasurement
from harness.labs.storm.plan import limit_text
from harness.labs.storm.trial import KEPT_SHARE
from harness.labs.verdict import MIN_PAIRS, PairConclusion, pair_verdict, pairs_text
from stallscope.statistics.estimate import Estimate


class StormConclusion(StrEnum):
    """The conclusion from all rounds."""

    GAIN = "gain"
    PRICE = "gain at a price"
    LOSS = "loss"
    NO_GAIN = "no gain here"
    REFUSED = "no verdict"


@dataclass(frozen=True, slots=True)
class StormVerdict:
    """A conclusion with its reason, which is a clause."""

    conclusion: StormConclusion
    reason: str


def storm_verdict(storm: StormMeasurement) -> StormVerdict:
    """Return the verdict on the recommended limit against 128 or no limit, both with shares.

    A gain needs the whole interval of the p99 ratio below 1 and the whole interval of the writer's
    bandwidth ratio at or above 0.95. If that interval contains 0.95, there is no verdict.
    """
    limit, reference = storm.recommended_setting.limit, storm.reference_setting.limit
    if limit == reference:
        reason = f"the recommended limit is {reference} itself: {storm.recommendation.how}"
        return StormVerdict(StormConclusion.NO_GAIN, reason)
    errors = sum(sum(result.errors.values()) for result in storm.rounds)
    if errors:
        noun = "request" if errors == 1 else "requests"
        reason = f"{errors:,} {noun} failed; the figures cover only the others"
        return StormVerdict(StormConclusion.REFUSED, reason)

    def ratio(quantity: str) -> Estimate:
        compared = {**READER, **OTHERS}[quantity]
        return storm.ratio(storm.recommended_setting, storm.reference_setting, compared)

    p99, writer = ratio("p99"), ratio(WRITER)
    text = (
        f"limit {limit} against {limit_text(reference)}: reader's p99 {ratio_text(p99)}, "
        f"p99.9 {ratio_text(ratio('p99.9'))}, writer's bandwidth {ratio_text(writer)}, "
        f"{pairs_text(p99.n)}"
    )
    return _verdict(p99, writer, text)


def _verdict(p99: Estimate, writer: Estimate, text: str) -> StormVerdict:
    tail = pair_verdict(p99.reciprocal(), "p99").conclusion
    if p99.median is None or p99.n < MIN_PAIRS or writer.low is None or writer.high is None:
        reason = f"too few rounds passed their checks, at least {MIN_PAIRS} are needed: {text}"
        return StormVerdict(StormConclusion.REFUSED, reason)
    if tail == PairConclusion.LOSS:
        return StormVerdict(StormConclusion.LOSS, text)
    if tail == PairConclusion.NO_GAIN:
        return StormVerdict(StormConclusion.NO_GAIN, text)
    if tail == PairConclusion.GAIN and writer.low >= KEPT_SHARE:
        return StormVerdict(StormConclusion.GAIN, text)
    if tail == PairConclusion.GAIN and writer.high < KEPT_SHARE:
        return StormVerdict(StormConclusion.PRICE, text)
    subject = "the writer's bandwidth" if tail == PairConclusion.GAIN else "the reader's p99"
    return StormVerdict(
        StormConclusion.REFUSED,
        f"the rounds disagree on {subject}: {text}; measure on a quieter machine, or use more or "
        "longer rounds",
    )


def ratio_text(ratio: Estimate) -> str:
    """Return a ratio with its interval."""
    if ratio.median is None:
        return "n/a"
    return f"{ratio.median:.3f}x ({ratio.low:.3f} to {ratio.high:.3f})"
