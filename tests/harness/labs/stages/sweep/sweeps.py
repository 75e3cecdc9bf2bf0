"""Invented sweeps with known findings."""

from dataclasses import replace
from pathlib import Path

from harness.labs.stages.measurement import Replays, SideReplay, StagesMeasurement
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.plan import SATURATED
from harness.labs.stages.sweep.measurement import SweepMeasurement
from harness.labs.stages.sweep.plan import batch_options, footprint_options
from tests.harness.labs.stages.measurements import CORES, measurement

MISSES = Replays(SideReplay(0.1, 10_000.0), SideReplay(0.02, 10_000.0), "I1 32 KB, 8 ways")
GAINS = {8: 1.0, 64: 1.4, 512: 1.6, 2048: 1.2}
BATCHES = {1: 0.9, 4: 1.3, 64: 1.6}


def point(options: StagesOptions, gain: float, *, loader_limit: str = "") -> StagesMeasurement:
    """A saturated point with five pairs whose gains are within 1 %."""
    gains = tuple(gain * (1 + part / 1000) for part in (-4, 0, 2, -2, 4))
    lab = measurement(options.output, gains=gains, loader_limit=loader_limit)
    saturated = tuple(reading for reading in lab.readings if reading.run.load == SATURATED)
    return replace(lab, options=options, readings=saturated, replays=MISSES)


def sweep(folder: Path, gains: dict[int, float] = GAINS) -> SweepMeasurement:
    options = StagesOptions("codec", folder)
    return SweepMeasurement(
        options=options,
        cores=CORES,
        l2_bytes=1024 * 1024,
        footprints=tuple(point(footprint_options(options, kb), gain) for kb, gain in gains.items()),
        batches=tuple(
            point(batch_options(options, 512, limit), gain) for limit, gain in BATCHES.items()
        ),
        interrupted=False,
    )
