"""The finding of the sweep: where stages pay on this machine, and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from harness.labs.stages.measurement import StagesMeasurement
from harness.labs.stages.plan import SATURATED, Side
from harness.labs.stages.quantities import THROUGHPUT
from harness.labs.stages.sweep.measurement import (
    SweepMeasurement,
    misses_per_request,
    saved_ns_per_miss,
)
from harness.labs.stages.verdict import requests_per_cpu_us
from harness.labs.verdict import MIN_PAIRS, pairs_text
from stallscope.statistics.estimate import Estimate

MIN_GAIN = 1.05  # a smaller gain does not pay for the stages


class GainBy(StrEnum):
    """The quantity whose ratio is the gain."""

    THROUGHPUT = "throughput"
    CPU = "requests per CPU second"


@dataclass(frozen=True, slots=True)
class SweepFinding:
    """The best footprint, the range in which stages pay, and both in words."""

    best: StagesMeasurement | None
    pays_from_kb: int | None
    pays_to_kb: int | None
    text: str


def gain_of(lab: StagesMeasurement) -> tuple[Estimate, GainBy]:
    """Return staged over unstaged, by CPU time if the loader was the bottleneck in a round."""
    if any(reading.loader_limit for reading in lab.readings):
        return lab.ratio(SATURATED, requests_per_cpu_us), GainBy.CPU
    return lab.ratio(SATURATED, THROUGHPUT.of), GainBy.THROUGHPUT


def sweep_finding(sweep: SweepMeasurement) -> SweepFinding:
    """Return the finding; stages pay if the whole interval is above 1 and the median is 1.05."""
    measured = [point for point in sweep.footprints if gain_of(point)[0].median is not None]
    if not measured:
        return SweepFinding(None, None, None, "No footprint was measured.")
    best = max(measured, key=lambda point: gain_of(point)[0].median or 0.0)
    paying = [_footprint(point) for point in measured if _pays(point)]
    return SweepFinding(
        best=best,
        pays_from_kb=min(paying, default=None),
        pays_to_kb=max(paying, default=None),
        text=" ".join(_sentences(sweep, best, paying)),
    )


def _pays(point: StagesMeasurement) -> bool:
    gain = gain_of(point)[0]
    return gain.n >= MIN_PAIRS and gain.is_above(1) and (gain.median or 0.0) >= MIN_GAIN


def _footprint(point: StagesMeasurement) -> int:
    assert point.options.footprint_kb is not None
    return point.options.footprint_kb


def _sentences(
    sweep: SweepMeasurement, best: StagesMeasurement, paying: list[int]
) -> Iterator[str]:
    gain, by = gain_of(best)
    if gain.n < MIN_PAIRS:
        yield f"No finding: {pairs_text(gain.n)} per point, at least {MIN_PAIRS} are needed."
        return
    if paying:
        yield (
            f"Stages pay on this machine if a request runs {_sizes(paying)} of code: the L1I holds "
            f"{_size(sweep.cores.l1i_bytes)}, the L2 {_size(sweep.l2_bytes)}."
        )
    else:
        yield "Stages pay at no footprint on this machine."
    yield (
        f"The best footprint is {_footprint(best)} KB, with {gain.median:.2f} times the {by} "
        f"({gain.low:.2f} to {gain.high:.2f}, {gain.n} pairs)."
    )
    yield from _reason(best)
    if sweep.l2_bytes is not None:
        yield from _beyond_l2(sweep, sweep.l2_bytes // 1024)
    yield from _batches(sweep)


def _reason(best: StagesMeasurement) -> Iterator[str]:
    before, after = (misses_per_request(best.replays, side) for side in Side)
    worth = saved_ns_per_miss(best)
    if before is not None and after is not None:
        yield (
            f"There, simulated misses of the instruction cache fall from {before:,.0f} to "
            f"{after:,.0f} per request"
            + (f", and each saved miss is worth {worth:.2f} ns." if worth is not None else ".")
        )


def _beyond_l2(sweep: SweepMeasurement, l2_kb: int) -> Iterator[str]:
    beyond = [point for point in sweep.footprints if _footprint(point) > l2_kb]
    gains = [gain_of(point)[0] for point in beyond]
    if gains and gains[-1].median is not None:
        yield (
            f"At {_footprint(beyond[-1])} KB, beyond the L2, the gain is {gains[-1].median:.2f} "
            f"({gains[-1].low:.2f} to {gains[-1].high:.2f})."
        )


def _batches(sweep: SweepMeasurement) -> Iterator[str]:
    gains = {
        point.options.max_batch or 0: gain_of(point)[0].median or 0.0 for point in sweep.batches
    }
    if gains and max(gains.values()) > 0:
        top = max(gains.values())
        enough = min(limit for limit, gain in gains.items() if gain >= 0.97 * top)
        yield (
            f"A batch limit of {enough} is enough for 97 % of the largest gain; without batches "
            f"(limit {min(gains)}) it is {gains[min(gains)]:.2f}."
        )


def _sizes(footprints_kb: list[int]) -> str:
    low, high = min(footprints_kb), max(footprints_kb)
    return f"{low} KB" if low == high else f"{low} to {high} KB"


def _size(size_bytes: int | None) -> str:
    return "an unknown size" if size_bytes is None else f"{size_bytes // 1024} KB"
