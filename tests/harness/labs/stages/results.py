"""Fabricated results of the stages lab: their conclusions are known."""

from pathlib import Path

from cstates.fingerprint import Fingerprint, StateUse
from harness.labs.stages.plan import OPEN_LOADS, SATURATED, Side, StagesOptions, turns
from harness.labs.stages.results import (
    Reading,
    Replayed,
    Replays,
    SlotsFound,
    StagesResults,
)
from harness.workload.cores import Cores

CORES = Cores(server=1, loader=0, same_core=False, cpu_model="Model <b>X</b>", l1i_bytes=32768)
NO_PMU = SlotsFound({}, "this machine has no hardware counters")
REPLAYS = Replays(Replayed(0.116, 50_000.0), Replayed(0.0036, 50_100.0), "I1 32 KB, 8 ways")
CAPACITY = 10_000.0
SETTINGS = Fingerprint(
    cpus=2,
    idle_governor="menu",
    idle_missing=None,
    latency_limit_us=None,
    latency_limit_missing="/dev/cpu_dma_latency can be read by root only",
    states=(StateUse("C1", 2, 2, 2, 40), StateUse("C6", 170, 2, 2, 9)),
    frequencies=(),
    frequency_missing="no cpufreq",
    turbo_allowed=None,
    warnings=("C6 open (170 us), entered 9 times",),
)


def results(
    folder: Path, *, gains: tuple[float, ...] = (1.5, 1.6, 1.4, 1.5, 1.7), limited_by: str = ""
) -> StagesResults:
    """Return as many pairs as gains; staged is that much faster, and needs as much less CPU."""
    options = StagesOptions("codec", folder, pairs=len(gains))
    readings = []
    for turn in turns(options.pairs, (SATURATED, *OPEN_LOADS)):
        gain = gains[turn.pair] if turn.side is Side.STAGED else 1.0
        asked = None if turn.load.share is None else turn.load.share * CAPACITY
        readings.append(
            Reading(
                turn=turn,
                rate_asked=asked,
                throughput=CAPACITY * gain if asked is None else asked,
                p50_us=80 / gain,
                p90_us=200 / gain,
                p99_us=1_000 / gain,
                p999_us=None,
                cpu_us=100 / gain,
                average_batch=16.0 if turn.side is Side.STAGED else None,
                errors=0,
                limited_by=limited_by,
                folder=folder / f"{turn.pair}-{turn.load.name}-{turn.side}",
            )
        )
    return StagesResults(
        options, CORES, tuple(readings), CAPACITY, REPLAYS, NO_PMU, {}, "refused", False
    )
