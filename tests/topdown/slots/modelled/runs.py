"""A modelled run with known cycles."""

from dataclasses import replace

from tests.topdown.slots.modelled.programs import CORE, HOST
from topdown.slots.modelled.cache_options import Cache, Caches
from topdown.slots.modelled.measurement import ModelledRun
from topdown.slots.modelled.native_run import NativeRun
from topdown.slots.modelled.pipeline import PipelineStall
from topdown.slots.modelled.prediction import Prediction

RUN = NativeRun(wall_s=1.0, user_s=1.0, system_s=0.0, queued_s=0.0, voluntary_switches=0, status=0)
L1 = Cache(32768, 8, 64)
INSTRUCTIONS = 4_000_000_000
ADDED = dict.fromkeys(PipelineStall, 0.0) | {
    PipelineStall.WIDTH: 0.2,
    PipelineStall.DEPENDENCY: 0.8,
}

OUTCOME = ModelledRun(
    command="./work",
    model=None,
    core=CORE,
    host=HOST,
    caches=Caches(L1, L1, Cache(2**20, 8, 64), Cache(2**25, 16, 64, rounded_from=30 * 2**20)),
    native=(RUN, replace(RUN, user_s=1.1, wall_s=1.1)),
    frequencies_hz=(4e9, 4e9),
    prediction=Prediction(ADDED, INSTRUCTIONS, 1.0),
    simulated_s=60.0,
    two_levels=True,
)
