"""Peculiarities of a response curve, and their meaning for the choice of a depth.

Several findings may hold at once; the first one is the verdict, in the order of ``CurveVerdict``.
"""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ioprobe.curve.burst import ReadBurst
from ioprobe.curve.estimates import CurveEstimates
from ioprobe.curve.readings import DepthReading, DepthReadings, merged_buckets, slowest_share
from stallscope.documents import Record

MAX_CPU_DELAY_SHARE = 0.05  # of latency, spent waiting for our own CPU
NOISY_SHARE = 1 / 3  # of readings
# The slowest hundredth of requests takes 1 % of the time if latencies are equal, 6 % if they are
# exponential, and 80 % behind a limiter that passes a fifth of each slice at once.
SLICE_SHARE = 0.3
SOFT_RATIO = 1.5  # knee over saturation depth
LINEAR_SHARE = 0.93  # of N times the throughput of depth 1, up to a sharp knee
TAGS_RATIO = 1.5
MAX_KNEE_RATIO = 8  # between the ends of the knee's interval; beyond it there is no verdict


class CurveVerdict(StrEnum):
    """Verdicts on a response curve, the most serious first."""

    CPU_NOISY = "CPU-noisy"
    NONE = "no verdict"
    BURST = "burst then steady state"
    RATE_LIMITER = "rate limiter, depth 1"
    NO_KNEE = "no knee reached"
    HIDDEN_LIMIT = "hidden limit"
    SOFT_KNEE = "soft knee"
    CLEAR_KNEE = "clear knee"


class CurveFinding(Record, frozen=True):
    """A verdict with its reason as a sentence."""

    verdict: str  # a CurveVerdict, or one of a newer version
    text: str


@dataclass(frozen=True, slots=True)
class RequestLimit:
    """A limit on requests in flight that the system reports, for example nr_requests."""

    name: str
    requests: int


@dataclass(frozen=True, slots=True)
class CurveEvidence:
    """The basis of findings; ``limits`` is empty if the device's limits are unknown."""

    readings: Sequence[DepthReading]
    depths: Sequence[DepthReadings]
    estimates: CurveEstimates | None
    burst: ReadBurst | None
    limits: Sequence[RequestLimit] = ()


def find_peculiarities(evidence: CurveEvidence) -> tuple[CurveFinding, ...]:
    """Return the findings, the most serious first; always at least one."""
    findings = [*_noise(evidence)]
    if evidence.burst is not None:
        findings.append(CurveFinding(CurveVerdict.BURST, evidence.burst.text))
    if evidence.estimates is None:
        accepted = sum(readings.ok for readings in evidence.depths)
        text = (
            f"{accepted} depths have readings that passed their checks; a curve needs at least two"
        )
        return (*findings, CurveFinding(CurveVerdict.NONE, text))
    knee = evidence.estimates.knee
    if knee.high > MAX_KNEE_RATIO * knee.low:
        text = (
            f"readings of the same depth disagree: the knee may be anywhere from {knee.low:.0f} to "
            f"{knee.high:.0f}; measure on a quieter machine, or use more (--repeats) and longer "
            "(--duration) readings"
        )
        return (*findings, CurveFinding(CurveVerdict.NONE, text))
    return (*findings, _shape(evidence, evidence.estimates))


def _noise(evidence: CurveEvidence) -> Iterator[CurveFinding]:
    delays = [
        reading.cpu_delay_share
        for reading in evidence.readings
        if reading.cpu_delay_share is not None
    ]
    noisy = [delay for delay in delays if delay > MAX_CPU_DELAY_SHARE]
    if delays and len(noisy) >= NOISY_SHARE * len(delays):
        text = (
            f"in {len(noisy)} of {len(delays)} readings requests waited for our own CPU for more "
            f"than {MAX_CPU_DELAY_SHARE:.0%} of their time, up to {max(noisy):.0%}: part of the "
            "tail comes from the CPU, not from the disk"
        )
        yield CurveFinding(CurveVerdict.CPU_NOISY, text)


def _shape(evidence: CurveEvidence, estimates: CurveEstimates) -> CurveFinding:
    knee, max_iops = round(estimates.knee.value), estimates.max_iops.value
    if knee == 1 and (share := _slice_share(evidence.depths[0])) >= SLICE_SHARE:
        text = (
            f"{max_iops:,.0f} requests per second at every depth, and at depth 1 the slowest "
            f"hundredth of requests took {share:.0%} of the time: a limiter passes requests in "
            "time slices. More depth only adds waiting"
        )
        return CurveFinding(CurveVerdict.RATE_LIMITER, text)
    if not estimates.knee_reached:
        deepest = evidence.depths[-1].depth
        text = (
            f"throughput still grows up to depth {deepest}, the deepest that was measured: the "
            "knee may be deeper"
        )
        return CurveFinding(CurveVerdict.NO_KNEE, text)
    if (ratio := _softness(estimates)) is not None and ratio >= SOFT_RATIO:
        text = (
            f"throughput approaches its maximum slowly: 95 % of it takes depth {knee}, "
            f"{ratio:.1f} times the depth that would suffice without queueing"
        )
        return CurveFinding(CurveVerdict.SOFT_KNEE, text)
    text = f"{knee} requests in flight reach 95 % of {max_iops:,.0f} requests per second"
    if _is_sharp(evidence.depths, knee) and evidence.limits:
        lowest = min(evidence.limits, key=lambda limit: limit.requests)
        if lowest.requests <= 1.1 * knee + 1:
            reason = f"the limit {lowest.name} = {lowest.requests}; raise it to measure the disk"
            return CurveFinding(CurveVerdict.HIDDEN_LIMIT, f"{text}, {reason}")
        if lowest.requests >= TAGS_RATIO * knee:
            reason = (
                f"although the limit {lowest.name} is {lowest.requests}: a layer below serves "
                f"{knee} at once or caps the rate (the device's parallelism, a volume's limit, a "
                "server's max_background)"
            )
            return CurveFinding(CurveVerdict.HIDDEN_LIMIT, f"{text}, {reason}")
    return CurveFinding(CurveVerdict.CLEAR_KNEE, f"{text}; beyond it requests wait for each other")


def _slice_share(shallowest: DepthReadings) -> float:
    return slowest_share(merged_buckets(shallowest.accepted), 0.01)


def _softness(estimates: CurveEstimates) -> float | None:
    """Return the knee over the saturation depth; None if the latter is unknown."""
    saturation = estimates.saturation_depth
    if saturation is None or saturation.value <= 0:
        return None
    # Depths are whole numbers: a knee of 2 over 1.2 is as sharp as possible.
    return (estimates.knee.low - 1) / saturation.value


def _is_sharp(depths: Sequence[DepthReadings], knee: int) -> bool:
    """Return whether throughput is proportional to depth up to the knee."""
    points = [(readings.depth, readings.iops) for readings in depths if readings.iops]
    if knee < 4 or points[0][0] != 1:
        return False
    iops_per_depth = [iops / depth for depth, iops in points if depth < knee]
    first = points[0][1]
    return (
        bool(iops_per_depth)
        and statistics.fmean(iops_per_depth) >= LINEAR_SHARE * first
        and iops_per_depth[-1] >= (LINEAR_SHARE - 0.03) * first
    )
