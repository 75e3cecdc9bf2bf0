"""Invented measurements of the stages lab, whose conclusions are known."""

from pathlib import Path

from cstates.fingerprint import Fingerprint, StateUse
from harness.labs.stages.measurement import (
    Replays,
    SideProfiles,
    SideReplay,
    SlotTrees,
    StagesMeasurement,
    StagesReading,
)
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.plan import OPEN_LOADS, SATURATED, Side, run_order
from harness.workload.cores import Cores

CORES = Cores(server=1, loader=0, same_core=False, cpu_model="Model <b>X</b>", l1i_bytes=32768)
NO_PMU = SlotTrees({}, "this machine has no hardware counters")
REPLAYS = Replays(SideReplay(0.116, 50_000.0), SideReplay(0.0036, 50_100.0), "I1 32 KB, 8 ways")
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


def measurement(
    folder: Path, *, gains: tuple[float, ...] = (1.5, 1.6, 1.4, 1.5, 1.7), loader_limit: str = ""
) -> StagesMeasurement:
    """A pair per gain; the staged side is faster, and uses less CPU time, by that factor."""
    options = StagesOptions("codec", folder, pairs=len(gains))
    readings = []
    for run in run_order(options.pairs, (SATURATED, *OPEN_LOADS)):
        gain = gains[run.pair] if run.side is Side.STAGED else 1.0
        rate = None if run.load.share is None else run.load.share * CAPACITY
        readings.append(
            StagesReading(
                run=run,
                requested_rate_per_s=rate,
                throughput_per_s=CAPACITY * gain if rate is None else rate,
                mean_us=110 / gain,
                p50_us=80 / gain,
                p90_us=200 / gain,
                p95_us=400 / gain,
                p99_us=1_000 / gain,
                p999_us=None,
                cpu_us=100 / gain,
                average_batch=16.0 if run.side is Side.STAGED else None,
                errors=0,
                loader_limit=loader_limit,
                folder=folder / f"{run.pair}-{run.load.name}-{run.side}",
            )
        )
    return StagesMeasurement(
        options=options,
        cores=CORES,
        readings=tuple(readings),
        capacity_per_s=CAPACITY,
        replays=REPLAYS,
        slots=NO_PMU,
        profiles=SideProfiles({}, "refused"),
        interrupted=False,
    )


def write_empty_logs(lab: StagesMeasurement) -> None:
    for reading in lab.readings:
        reading.folder.mkdir()
        (reading.folder / "intended.hlog").write_text("")
