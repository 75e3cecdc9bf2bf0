"""The limit of the I/O queue: a reader beside a storm of writes, recommended limit against 128.

One read of 4 KiB at a time beside 256 writes of 128 KiB, by one `stallscope lab storm` on a file
below build/, all limits with shares, in rounds of alternating order. "Ours" is the named limit, the
"peer" is 128. A latency ratio below 1 is an improvement. The other limits show the choice that the
recommendation had: a slow or shared disk has no limit that serves both reader and writer.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.cases import Bound, Case, ratio
from benchmarks.effort import pairs, seconds
from harness.labs.storm.disk import measure_disk_storm
from harness.labs.storm.measurement import (
    OTHERS,
    READER,
    WRITER,
    StormMeasurement,
    StormQuantity,
)
from harness.labs.storm.options import REFERENCE_LIMIT, StormOptions
from harness.labs.storm.plan import limit_text
from ioprobe.storm import StormRound, StormSetting

LIMITS = (REFERENCE_LIMIT, 48, 32, 16, 8)
ROUNDS = 7
DURATION_S = 1.0
WARMUP_S = 0.2
REST_S = 1.0  # cloud disks have limiters with a burst, and drives have caches
FILE_BYTES = 2**30


def _us(name: str) -> StormQuantity:
    def pick(storm_round: StormRound) -> float | None:
        latency_ns = READER[name](storm_round)
        return None if latency_ns is None else latency_ns / 1000

    return pick


def _mb_per_s(storm_round: StormRound) -> float | None:
    bytes_per_s = OTHERS[WRITER](storm_round)
    return None if bytes_per_s is None else bytes_per_s / 1e6


METRICS: tuple[tuple[str, StormQuantity], ...] = (
    ("reader's p50 us", _us("p50")),
    ("reader's p99 us", _us("p99")),
    ("reader's p99.9 us", _us("p99.9")),
    ("reader's max us", _us("max")),
    ("writer's MB/s", _mb_per_s),
)
BOUNDS = {
    "reader's p99 us": ratio(at_most=0.60),
    "reader's p99.9 us": ratio(at_most=0.60),
    "writer's MB/s": ratio(at_least=0.95),
}


def storm_options(*, rounds: int, duration_s: float, **others: Any) -> StormOptions:
    """Return the options of a storm on the disk below build/."""
    folder = Path("build")
    folder.mkdir(exist_ok=True)
    return StormOptions(
        path=str(folder),
        rounds=pairs(rounds),
        duration_s=seconds(duration_s),
        rest_s=REST_S,
        **others,
    )


def run() -> list[Case]:
    """Measure the storm on the disk below build/."""
    options = storm_options(
        rounds=ROUNDS,
        duration_s=DURATION_S,
        warmup_s=WARMUP_S,
        limits=LIMITS,
        no_limit=False,
        first_come=False,
        size_bytes=FILE_BYTES,
    )
    return cases(measure_disk_storm(options), BOUNDS)


def cases(results: StormMeasurement, bounds: Mapping[str, Bound]) -> list[Case]:
    """Return a case for each metric and limit; the recommended limit, with the bars, is first."""
    shares, recommended = results.options.shares, results.recommendation.limit
    limits = dict.fromkeys((recommended, *sorted(results.options.limits, reverse=True)))
    return [
        case
        for limit in limits
        if limit != results.reference_setting.limit or limit == recommended
        for case in _cases(
            results, StormSetting(limit, shares), bounds if limit == recommended else None
        )
    ]


def _cases(
    results: StormMeasurement, setting: StormSetting, bounds: Mapping[str, Bound] | None
) -> list[Case]:
    """Return a case for each metric, from the rounds in which both limits passed their checks."""
    limited = {
        storm_round.run.round: storm_round for storm_round in results.accepted_rounds(setting)
    }
    against = {
        storm_round.run.round: storm_round
        for storm_round in results.accepted_rounds(results.reference_setting)
    }
    both = sorted(limited.keys() & against.keys())
    masked = len(results.all_rounds(setting)) + len(results.all_rounds(results.reference_setting))
    masked -= len(limited) + len(against)
    notes = f"recommended, {results.recommendation.how}" if bounds is not None else "another limit"
    if masked:
        notes += f"; {masked} runs were masked"
    other = results.reference_setting.limit
    metric_cases = []
    for metric, pick in METRICS:
        readings = [(pick(limited[number]), pick(against[number])) for number in both]
        complete = [(ours, peer) for ours, peer in readings if ours is not None and peer]
        bound = (bounds or {}).get(metric)
        if complete:
            metric_cases.append(
                Case(
                    name=f"limit {setting.limit}{'' if bounds is None else ', recommended'}",
                    metric=metric,
                    ours_command=f"limit {setting.limit}",
                    peer_command=f"limit {other}" if other else limit_text(other),
                    bar=(bound,) if bound else (),
                    ours=tuple(ours for ours, _ in complete),
                    peer=tuple(peer for _, peer in complete),
                    notes=notes,
                )
            )
    return metric_cases
