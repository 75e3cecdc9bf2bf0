"""The simulated instruction cache: logged requests replayed under callgrind in native batches.

Under callgrind a server is so slow that its batches would always be full. The staged server
therefore first runs at native speed and logs its batches. Callgrind then runs the same requests in
these batches, without sockets; unstaged, each request runs through all steps at once.
"""

import re
import subprocess
import tempfile
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from harness.labs.stages.measurement import Replays, SideReplay
from harness.labs.stages.plan import Side
from harness.labs.stages.rounds import StagesSetup
from harness.workload.loader import running_load
from harness.workload.request_files import generate_requests
from harness.workload.server import PROGRAM, running_server
from stallscope.errors import TargetError, UnableError
from stallscope.programs import installed_program, program

MODEL = "callgrind, I1 of 32 KB, 8 ways, lines of 64 bytes, no prefetch"
_CACHE = "--I1=32768,8,64"
# Only this function is counted; reading the file and starting up are not.
COUNTED_FUNCTION = "stallscope_replay_requests"
# Two replays of different length: their difference contains no set-up.
SHORT, LONG = 150, 600
_LOGGED_S = 0.5
_TIMEOUT_S = 180
_REMEDY = "leave the replay out with --no-replay"
_FIELDS = re.compile(r"^(events|totals|summary): (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CallgrindCounts:
    """Callgrind's totals of one replay."""

    instructions: int
    misses: int


def replay_sides(setup: StagesSetup) -> Replays:
    """Return both sides' simulated counts, or the reason why there are none."""
    valgrind = installed_program("valgrind")
    if valgrind is None:
        return Replays(None, None, "", "valgrind is not installed (package valgrind)")
    try:
        with tempfile.TemporaryDirectory(prefix="stallscope-") as name:
            return _replay(setup, Path(name), str(valgrind))
    except (TargetError, UnableError) as error:
        return Replays(None, None, "", error.message)


def _replay(setup: StagesSetup, folder: Path, valgrind: str) -> Replays:
    batches = logged_batches(setup, folder)
    path, seed = setup.options.path, setup.options.seed
    files = {n: generate_requests(path, folder / f"{n}.resp", seed, n) for n in (SHORT, LONG)}
    by_side = {}
    for side in Side:
        counts = {
            n: _simulate(
                valgrind, replay_command(setup, side, file, batches), folder / f"{side}-{n}.out"
            )
            for n, file in files.items()
        }
        by_side[side] = counts_per_request(counts[SHORT], counts[LONG])
    return Replays(by_side[Side.UNSTAGED], by_side[Side.STAGED], MODEL)


def logged_batches(setup: StagesSetup, folder: Path) -> Path:
    """Return the log of the batches of a saturated staged server at native speed."""
    log = folder / "batches"
    with running_server(replace(setup.server_options(Side.STAGED), log_batches=log)) as server:
        options = setup.load_options(server.target, folder / "load", None)
        with running_load(replace(options, duration_s=_LOGGED_S)) as load:
            load.finish()
    return log


def replay_command(setup: StagesSetup, side: Side, requests: Path, batches: Path) -> list[str]:
    """Return the command that replays requests; the staged side in the batches of the log."""
    arguments = setup.server_options(side).path_arguments()
    words = [str(program(PROGRAM)), "--die-with-parent", *arguments, "--replay", str(requests)]
    return words + (["--batches", str(batches)] if side is Side.STAGED else [])


def _simulate(valgrind: str, command: list[str], output: Path) -> CallgrindCounts:
    """Return callgrind's counts of one replay; raises TargetError if it failed."""
    words = [valgrind, "--tool=callgrind", "--command-line-only=yes", "--cache-sim=yes", _CACHE,
             "--collect-atstart=no", f"--toggle-collect={COUNTED_FUNCTION}",
             f"--callgrind-out-file={output}", "-q"]  # fmt: skip
    try:
        run = subprocess.run(
            [*words, "--", *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UnableError(
            f"the replay under callgrind took more than {_TIMEOUT_S} s", _REMEDY
        ) from error
    if run.returncode != 0 or not output.is_file():
        messages = run.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = messages[-1] if messages else f"exit status {run.returncode}"
        raise TargetError(f"the replay under callgrind failed: {reason}", _REMEDY)
    return parse_counts(output.read_text("utf-8", "replace"))


def parse_counts(text: str) -> CallgrindCounts:
    """Return the totals of a callgrind file; raises TargetError if it has none."""
    fields: dict[str, str] = dict(_FIELDS.findall(text))
    names = fields.get("events", "").split()
    words = fields.get("totals", fields.get("summary", "")).split()
    # Callgrind omits trailing events that are zero.
    values = [int(word) for word in words if word.isascii() and word.isdecimal()]
    counts = dict(zip_longest(names, values[: len(names)], fillvalue=0))
    if not counts.get("Ir"):
        raise TargetError("callgrind counted no instruction of the replay", _REMEDY)
    return CallgrindCounts(counts["Ir"], counts.get("I1mr", 0))


def counts_per_request(short: CallgrindCounts, long: CallgrindCounts) -> SideReplay:
    """Return the counts per request, from the difference of the two replays."""
    instructions = long.instructions - short.instructions
    if instructions <= 0:
        raise TargetError(
            "the longer replay executed no more instructions than the shorter one", _REMEDY
        )
    return SideReplay((long.misses - short.misses) / instructions, instructions / (LONG - SHORT))
