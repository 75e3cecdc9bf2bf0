"""The measurements of the sweep: one small stages lab per point."""

from dataclasses import dataclass

from cstates.fingerprint import Fingerprint
from harness.labs.stages.measurement import Replays, StagesMeasurement
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.plan import SATURATED, Side
from harness.labs.stages.quantities import CPU
from harness.workload.cores import Cores

_MIN_SAVED_MISSES = 10


@dataclass(frozen=True, slots=True)
class SweepMeasurement:
    """The points by footprint and by batch limit, in ascending order."""

    options: StagesOptions
    cores: Cores
    l2_bytes: int | None  # of the server's core; None if sysfs does not report it
    footprints: tuple[StagesMeasurement, ...]
    batches: tuple[StagesMeasurement, ...]
    interrupted: bool
    settings: Fingerprint | None = None


def misses_per_request(replays: Replays, side: Side) -> float | None:
    """Return the simulated misses of the instruction cache per request."""
    replay = replays.unstaged if side is Side.UNSTAGED else replays.staged
    return None if replay is None else replay.icache_miss_ratio * replay.instructions_per_request


def saved_ns_per_miss(lab: StagesMeasurement) -> float | None:
    """Return the CPU time that a saved miss is worth: measured time over simulated misses.

    None if stages save fewer than ten misses per request.
    """
    before, after = (misses_per_request(lab.replays, side) for side in Side)
    unstaged, staged = (lab.estimate(SATURATED, side, CPU.of).median for side in Side)
    if before is None or after is None or unstaged is None or staged is None:
        return None
    saved = before - after
    return 1000 * (unstaged - staged) / saved if saved >= _MIN_SAVED_MISSES else None
