"""What is peculiar about a response curve, and what that means for who chooses a depth.

Several findings may hold at once; the verdict is the gravest, in the order of ``Verdict``.
"""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ioprobe.curve.burst import Burst
from ioprobe.curve.estimates import Estimates
from ioprobe.curve.readings import DepthReadings, Reading, merged_buckets, slowest_share

MOST_CPU_DELAY = 0.05  # of latency, spent waiting for our own CPU
NOISY_SHARE = 1 / 3  # of readings
# In the slowest hundredth of requests lie 1 % of equal latencies' time, 6 % of exponential ones',
# and 80 % of those behind a limiter that lets a fifth of each slice pass at once.
SLICE_SHARE = 0.3
SOFT_RATIO = 1.5  # knee over saturation depth
LINEAR_SHARE = 0.93  # of N times depth 1, up to a sharp knee
TAGS_RATIO = 1.5
MOST_KNEE_RATIO = 8  # of the ends of the knee's interval; beyond it nothing is concluded


class Verdict(StrEnum):
    """The answers there are, the gravest first."""

    CPU_NOISY = "CPU-noisy"
    NONE = "no verdict"
    BURST = "burst then steady state"
    RATE_LIMITER = "rate limiter, depth 1"
    NO_KNEE = "no knee reached"
    HIDDEN_LIMIT = "hidden limit"
    SOFT_KNEE = "soft knee"
    CLEAR_KNEE = "clear knee"


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict with its reason in a sentence."""

    verdict: Verdict
    text: str


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit on requests in flight that the system tells of, as nr_requests."""

    name: str
    requests: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """What findings are made of; ``limits`` are those known of the device, none where unknown."""

    readings: Sequence[Reading]
    depths: Sequence[DepthReadings]
    estimates: Estimates | None
    burst: Burst | None
    limits: Sequence[Limit] = ()


def findings(evidence: Evidence) -> tuple[Finding, ...]:
    """Return what is to be said, the gravest first; never nothing."""
    found = [*_noise(evidence)]
    if evidence.burst is not None:
        found.append(Finding(Verdict.BURST, evidence.burst.text))
    if evidence.estimates is None:
        known = sum(one.ok for one in evidence.depths)
        text = f"depths whose readings passed their checks: {known}; a curve takes at least two"
        return (*found, Finding(Verdict.NONE, text))
    knee = evidence.estimates.knee
    if knee.high > MOST_KNEE_RATIO * knee.low:
        text = (
            f"readings of the same depth disagree: the knee may be anywhere from {knee.low:.0f} to "
            f"{knee.high:.0f}; measure on a quieter machine, or more (--repeats) and longer "
            "(--duration) readings"
        )
        return (*found, Finding(Verdict.NONE, text))
    return (*found, _shape(evidence, evidence.estimates))


def _noise(evidence: Evidence) -> Iterator[Finding]:
    known = [one for one in evidence.readings if one.cpu_delay_share is not None]
    noisy = [one for one in known if (one.cpu_delay_share or 0.0) > MOST_CPU_DELAY]
    if known and len(noisy) >= NOISY_SHARE * len(known):
        worst = max(one.cpu_delay_share or 0.0 for one in noisy)
        text = (
            f"in {len(noisy)} of {len(known)} readings requests waited for our own CPU for more "
            f"than {MOST_CPU_DELAY:.0%} of their time, {worst:.0%} at worst: the tail is partly of "
            "the CPU, not of the disk"
        )
        yield Finding(Verdict.CPU_NOISY, text)


def _shape(evidence: Evidence, found: Estimates) -> Finding:
    knee, most = round(found.knee.value), found.most_iops.value
    if knee == 1 and (share := _slice_share(evidence.depths[0])) >= SLICE_SHARE:
        text = (
            f"{most:,.0f} requests a second at every depth, while at depth 1 the slowest hundredth "
            f"of requests took {share:.0%} of the time: a limiter lets them through in slices. "
            "More depth only waits longer"
        )
        return Finding(Verdict.RATE_LIMITER, text)
    if not found.knee_reached:
        deepest = evidence.depths[-1].depth
        text = (
            f"depth {deepest}, the deepest, has more throughput than half of it: the knee may "
            "be deeper than was measured"
        )
        return Finding(Verdict.NO_KNEE, text)
    if (ratio := _softness(found)) is not None and ratio >= SOFT_RATIO:
        text = (
            f"the last of the throughput comes slowly: 95 % of it takes depth {knee}, "
            f"{ratio:.1f} times what would do if no request waited for another"
        )
        return Finding(Verdict.SOFT_KNEE, text)
    text = f"{knee} requests in flight give 95 % of {most:,.0f} requests a second"
    if _is_sharp(evidence.depths, knee) and evidence.limits:
        least = min(evidence.limits, key=lambda limit: limit.requests)
        if least.requests <= 1.1 * knee + 1:
            why = f"which is what {least.name} = {least.requests} admits: raise it to know the disk"
            return Finding(Verdict.HIDDEN_LIMIT, f"{text}, {why}")
        if least.requests >= TAGS_RATIO * knee:
            why = (
                f"although {least.name} would admit {least.requests}: something below serves "
                f"{knee} at once or caps the rate (the device's own parallelism, a volume's limit, "
                "a server's max_background)"
            )
            return Finding(Verdict.HIDDEN_LIMIT, f"{text}, {why}")
    return Finding(Verdict.CLEAR_KNEE, f"{text}; beyond it requests wait for each other")


def _slice_share(shallowest: DepthReadings) -> float:
    return slowest_share(merged_buckets(shallowest.accepted), 0.01)


def _softness(found: Estimates) -> float | None:
    if found.saturation_depth is None or found.saturation_depth.value <= 0:
        return None
    # Depths are whole: a knee of 2 over 1.2 is as sharp as it can be. What was not refined may be.
    return (found.knee.low - 1) / found.saturation_depth.value


def _is_sharp(depths: Sequence[DepthReadings], knee: int) -> bool:
    """Return whether throughput is in proportion to depth up to the knee."""
    known = [(one.depth, one.iops) for one in depths if one.iops]
    if knee < 4 or known[0][0] != 1:
        return False
    below = [iops / depth for depth, iops in known if depth < knee]
    first = known[0][1]
    return (
        bool(below)
        and statistics.fmean(below) >= LINEAR_SHARE * first
        and below[-1] >= (LINEAR_SHARE - 0.03) * first
    )
