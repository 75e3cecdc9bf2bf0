"""The I/O queue's limit: a reader beside a storm of writes, at the recommended limit against 128.

A 4 KiB read at a time beside 256 writes of 128 KiB, by one `stallscope lab storm` on a file of its
own under build/, all limits with shares, in rounds whose order alternates. "ours" is the limit that
is named, the "peer" 128. "Below 1" is less latency. The other limits show what the recommended one
was chosen from: a disk that is soft, or shared, has none that is good for reader and writer.
"""

from collections.abc import Mapping
from pathlib import Path

from benchmarks.effort import pairs, seconds
from benchmarks.pairs import Case, save
from harness.labs.storm.disk import measure_disk_storm
from harness.labs.storm.measurement import (
    OTHERS,
    READER,
    WRITER,
    Quantity,
    StormMeasurement,
)
from harness.labs.storm.options import REFERENCE_LIMIT, StormOptions
from harness.labs.storm.plan import limit_text
from ioprobe.storm import QueueSetting, StormRound

LIMITS = (REFERENCE_LIMIT, 48, 32, 16, 8)
ROUNDS = 7
DURATION_S = 1.0
WARMUP_S = 0.2
REST_S = 1.0  # cloud disks have limiters with a burst, and drives have caches
FILE_BYTES = 2**30


def _us(name: str) -> Quantity:
    def pick(one: StormRound) -> float | None:
        found = READER[name](one)
        return None if found is None else found / 1000

    return pick


def _mb_per_s(one: StormRound) -> float | None:
    found = OTHERS[WRITER](one)
    return None if found is None else found / 1e6


METRICS: tuple[tuple[str, Quantity], ...] = (
    ("reader's p50 us", _us("p50")),
    ("reader's p99 us", _us("p99")),
    ("reader's p99.9 us", _us("p99.9")),
    ("writer's MB/s", _mb_per_s),
)
BARS = {
    "reader's p99 us": "at most 0.60",
    "reader's p99.9 us": "at most 0.60",
    "writer's MB/s": "at least 0.95",
}


def cases(results: StormMeasurement, bars: Mapping[str, str]) -> list[Case]:
    """Return a case for each metric and limit, the recommended one, with the bars, first."""
    shares, recommended = results.options.shares, results.recommendation.limit
    limits = dict.fromkeys((recommended, *sorted(results.options.limits, reverse=True)))
    return [
        case
        for limit in limits
        if limit != results.reference_setting.limit or limit == recommended
        for case in _cases(
            results, QueueSetting(limit, shares), bars if limit == recommended else None
        )
    ]


def _cases(
    results: StormMeasurement, setting: QueueSetting, bars: Mapping[str, str] | None
) -> list[Case]:
    """Return a case for each metric, of the rounds in which both limits passed their checks."""
    limited = {one.run.round: one for one in results.accepted_rounds(setting)}
    against = {one.run.round: one for one in results.accepted_rounds(results.reference_setting)}
    both = sorted(limited.keys() & against.keys())
    masked = len(results.all_rounds(setting)) + len(results.all_rounds(results.reference_setting))
    masked -= len(limited) + len(against)
    notes = f"recommended, {results.recommendation.how}" if bars is not None else "another limit"
    if masked:
        notes += f"; {masked} runs were masked"
    found = []
    other = results.reference_setting.limit
    for metric, pick in METRICS:
        values = [(pick(limited[at]), pick(against[at])) for at in both]
        known = [(ours, peer) for ours, peer in values if ours is not None and peer]
        if known:
            found.append(
                Case(
                    name=f"limit {setting.limit}{'' if bars is None else ', recommended'}",
                    metric=metric,
                    ours_command=f"limit {setting.limit}",
                    peer_command=f"limit {other}" if other else limit_text(other),
                    bar=(bars or {}).get(metric, ""),
                    ours=tuple(ours for ours, _ in known),
                    peer=tuple(peer for _, peer in known),
                    notes=notes,
                )
            )
    return found


def run() -> None:
    """Measure the storm on the disk under build/."""
    folder = Path("build")
    folder.mkdir(exist_ok=True)
    options = StormOptions(
        path=str(folder),
        rounds=pairs(ROUNDS),
        duration_s=seconds(DURATION_S),
        warmup_s=WARMUP_S,
        rest_s=REST_S,
        limits=LIMITS,
        no_limit=False,
        first_come=False,
        size_bytes=FILE_BYTES,
    )
    save("storm", "./dev bench storm", cases(measure_disk_storm(options), BARS))
