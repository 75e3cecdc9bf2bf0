"""Modelled slots of both sides: the server's replay of requests in the logged batches.

The replay runs natively for its CPU time and under callgrind for its counts; only the function that
runs the requests is counted.
"""

import math
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from harness.labs.stages.measurement import SlotTrees
from harness.labs.stages.plan import Side
from harness.labs.stages.replay import COUNTED_FUNCTION, logged_batches, replay_command
from harness.labs.stages.rounds import StagesSetup
from harness.workload.request_files import generate_requests
from stallscope.documents import Count, Number, Record, decode
from stallscope.errors import RecordingError, TargetError, UnableError
from topdown.slots.measurement import Measurement
from topdown.slots.modelled.function import measure_function

NATIVE_S = 0.04  # CPU time of a native replay; the simulated one takes about 100 times as long
MIN_REQUESTS, MAX_REQUESTS = 256, 200_000
_TIMEOUT_S = 60
_REMEDY = "leave the replay out with --no-replay"


class _ReplayReport(Record, frozen=True, kw_only=True):
    requests: Count
    cpu_seconds: Number


def model_sides(
    setup: StagesSetup, on_side: Callable[[Side], None], sides: Sequence[Side] = tuple(Side)
) -> SlotTrees:
    """Return the modelled slots of the sides, or the reason why there are none."""
    try:
        with tempfile.TemporaryDirectory(prefix="stallscope-") as name:
            folder = Path(name)
            batches = logged_batches(setup, folder)
            requests = _requests(setup, folder)
            return SlotTrees(
                {side: _model_side(setup, side, requests, batches, on_side) for side in sides}
            )
    except (TargetError, UnableError, RecordingError) as error:
        return SlotTrees({}, error.message)


def _model_side(
    setup: StagesSetup, side: Side, requests: Path, batches: Path, on_side: Callable[[Side], None]
) -> Measurement:
    on_side(side)
    command = replay_command(setup, side, requests, batches)
    text = f"replay of requests of path {setup.options.path}, {side}" + (
        ", in the batches of the native run" if side is Side.STAGED else ""
    )
    return measure_function(
        command, COUNTED_FUNCTION, lambda: _replay(command).cpu_seconds, text=text
    )


def _requests(setup: StagesSetup, folder: Path) -> Path:
    """Return a file with as many requests as the unstaged server runs in NATIVE_S."""
    path, seed = setup.options.path, setup.options.seed
    trial = generate_requests(path, folder / "trial.resp", seed, MIN_REQUESTS)
    report = _replay(replay_command(setup, Side.UNSTAGED, trial, trial))
    per_request_s = max(1e-9, report.cpu_seconds / max(1, report.requests))
    count = min(MAX_REQUESTS, max(MIN_REQUESTS, math.ceil(NATIVE_S / per_request_s)))
    return generate_requests(path, folder / "modelled.resp", seed, count)


def _replay(command: list[str]) -> _ReplayReport:
    try:
        run = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT_S, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise TargetError(f"the replay failed: {error}", _REMEDY) from error
    return decode(run.stdout, _ReplayReport, "replay")
