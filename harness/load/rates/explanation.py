"""Whether latency falls as the rate rises, and whether batches or wake-ups explain it.

A target that collects requests and answers them together answers sooner if more requests arrive:
its replies come in longer bursts than the requests were sent. An idle CPU sleeps, and the first
request after a pause waits for its wake-up: the round trip of a wake-up, measured without the
target after the same pauses, falls with the rate too.
"""

from dataclasses import dataclass
from enum import StrEnum

from harness.load.rates.measurement import RatesMeasurement, estimate
from stallscope.quantities import microseconds_text
from stallscope.statistics.estimate import CONFIDENCE_OF_FIVE, Estimate, min_sample_size

MAX_FALLING_RATIO = 0.9  # a smaller fall of p50 is none
MIN_BURST_RATIO = 1.5  # replies per burst over requests per burst of a target with batches
MIN_EXPLAINED_SHARE = 0.5  # of the fall, by the measured wake-ups


class LatencyCause(StrEnum):
    """The reason why latency falls as the rate rises."""

    NONE = "latency does not fall"
    UNDECIDED = "no verdict"
    BATCHES = "batches"
    WAKE_UPS = "wake-ups"
    UNEXPLAINED = "unexplained"


@dataclass(frozen=True, slots=True)
class LatencyExplanation:
    """The cause with its reason, and the rates that were compared."""

    cause: LatencyCause
    reason: str
    low_per_s: float
    best_per_s: float
    ratio: Estimate  # p50 at the best rate over p50 at the lowest rate


def falls(rates: RatesMeasurement) -> bool:
    """Return whether p50 at some rate is lower than at the lowest rate in every round."""
    return _is_fall(_comparison(rates)[1])


def explain(rates: RatesMeasurement) -> LatencyExplanation:
    """Return whether latency falls as the rate rises, and the cause."""
    best, ratio = _comparison(rates)
    low = rates.options.rates_per_s[0]
    cause, reason = _cause(rates, best, ratio)
    return LatencyExplanation(cause, reason, low, best, ratio)


def _comparison(rates: RatesMeasurement) -> tuple[float, Estimate]:
    """Return the rate with the lowest p50, and its p50 over that of the lowest rate."""
    low, *others = rates.options.rates_per_s
    best = min(others, key=lambda rate: rates.p50_us(rate).median or float("inf"))
    return best, rates.p50_ratio(best, low)


def _is_fall(ratio: Estimate) -> bool:
    return (
        ratio.n >= min_sample_size(CONFIDENCE_OF_FIVE)
        and ratio.is_below(1)
        and ratio.median is not None
        and ratio.median <= MAX_FALLING_RATIO
    )


def _cause(rates: RatesMeasurement, best: float, ratio: Estimate) -> tuple[LatencyCause, str]:
    low = rates.options.rates_per_s[0]
    needed = min_sample_size(CONFIDENCE_OF_FIVE)
    if ratio.median is None or ratio.n < needed:
        return (
            LatencyCause.UNDECIDED,
            f"{ratio.n} complete rounds are too few, at least {needed} are needed",
        )
    text = (
        f"p50 is {microseconds_text(rates.p50_us(low).median)} at {low:,.0f} requests/s and "
        f"{microseconds_text(rates.p50_us(best).median)} at {best:,.0f}"
    )
    if not _is_fall(ratio):
        return LatencyCause.NONE, text
    replies, requests = (
        estimate([getattr(result, name) for result in rates.results(low)]).median
        for name in ("replies_per_burst", "requests_per_burst")
    )
    if replies is not None and requests and replies / requests >= MIN_BURST_RATIO:
        return LatencyCause.BATCHES, (
            f"{text}: the target collects requests and answers them together: at {low:,.0f} "
            f"requests/s, {replies:.1f} replies arrived in a burst, although requests were sent "
            f"{requests:.1f} at a time"
        )
    return _by_wake_ups(rates, best, text)


def _by_wake_ups(rates: RatesMeasurement, best: float, text: str) -> tuple[LatencyCause, str]:
    low = rates.options.rates_per_s[0]
    wakes = [rates.wake_us.get(rate) for rate in (low, best)]
    slow, fast = rates.p50_us(low).median, rates.p50_us(best).median
    if wakes[0] is None or wakes[1] is None or slow is None or fast is None:
        reason = rates.wake_unavailable or "wake-ups were not measured"
        return LatencyCause.UNEXPLAINED, f"{text}: replies arrive one by one, and {reason}"
    saved_us = wakes[0] - wakes[1]
    share = saved_us / (slow - fast)
    wake_text = (
        f"the round trip of a wake-up, measured without the target after the same pauses, takes "
        f"{microseconds_text(wakes[0])} and {microseconds_text(wakes[1])}"
    )
    if share >= MIN_EXPLAINED_SHARE:
        return LatencyCause.WAKE_UPS, (
            f"{text}: CPUs sleep between requests at the low rate: {wake_text}, which explains "
            f"{min(share, 1):.0%} of the fall; `stallscope cstates latency` shows what closing "
            "sleep states gains"
        )
    return LatencyCause.UNEXPLAINED, (
        f"{text}: replies arrive one by one, and {wake_text}, which explains "
        f"{max(share, 0):.0%} of the fall; caches that cool down and a CPU frequency that falls "
        "between requests are not measured"
    )
