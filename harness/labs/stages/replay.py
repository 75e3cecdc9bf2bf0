"""The simulated instruction cache: logged requests replayed under callgrind, batched as natively.

A slowed server under a native client would always run full batches. So the staged server first runs
at its own speed and logs its batches; then callgrind runs the same requests in those batches,
without sockets, and without stages each through all steps at once.
"""

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from harness.labs.stages.plan import Side
from harness.labs.stages.results import Replayed, Replays
from harness.labs.stages.rounds import Bench
from harness.workload.loader import running_load
from harness.workload.request_files import generate_requests
from harness.workload.server import PROGRAM, running_server
from stallscope.errors import TargetError, UnableError
from stallscope.programs import program

MODEL = "callgrind, I1 of 32 KB, 8 ways, lines of 64 bytes, no prefetch"
_CACHE = "--I1=32768,8,64"
# Only what runs requests is counted: reading the file and starting up are not.
_COUNTED = "stallscope_replay_requests"
# What the longer replay has more than the shorter one is of requests alone: set-up is in both.
FEWER, MORE = 150, 600
_LOGGED_S = 0.5
_TIMEOUT_S = 180
_FIELDS = re.compile(r"^(events|totals|summary): (.*)$", re.MULTILINE)


def replay_sides(bench: Bench) -> Replays:
    """Return both sides' simulated counts, or why there are none."""
    if shutil.which("valgrind") is None:
        return Replays(None, None, "", "valgrind is not installed (package valgrind)")
    try:
        with tempfile.TemporaryDirectory(prefix="stallscope-") as name:
            return _replayed(bench, Path(name))
    except (TargetError, UnableError) as error:
        return Replays(None, None, "", error.message)


def _replayed(bench: Bench, folder: Path) -> Replays:
    batches = _logged_batches(bench, folder)
    path, seed = bench.options.path, bench.options.seed
    requests = {n: generate_requests(path, folder / f"{n}.resp", seed, n) for n in (FEWER, MORE)}
    found = {}
    for side in Side:
        counts = {
            n: _simulated(_command(bench, side, file, batches), folder / f"{side}-{n}.out")
            for n, file in requests.items()
        }
        found[side] = of_requests(counts[FEWER], counts[MORE])
    return Replays(found[Side.UNSTAGED], found[Side.STAGED], MODEL)


def _logged_batches(bench: Bench, folder: Path) -> Path:
    """Return the log of a staged server's batches under saturation, at its own speed."""
    log = folder / "batches"
    with running_server(replace(bench.server(Side.STAGED), log_batches=log)) as server:
        load = replace(bench.load(server.target, folder / "load", None), duration_s=_LOGGED_S)
        with running_load(load) as loader:
            loader.finish()
    return log


def _command(bench: Bench, side: Side, requests: Path, batches: Path) -> list[str]:
    words = [str(program(PROGRAM)), "--die-with-parent", *bench.server(side).path_arguments()]
    words += ["--replay", str(requests)]
    return words + (["--batches", str(batches)] if side is Side.STAGED else [])


@dataclass(frozen=True, slots=True)
class Counts:
    """What callgrind counted of one replay."""

    instructions: int
    misses: int


def _simulated(command: list[str], output: Path) -> Counts:
    """Return what callgrind counted of one replay; TargetError where it failed."""
    words = ["valgrind", "--tool=callgrind", "--cache-sim=yes", _CACHE, "--collect-atstart=no",
             f"--toggle-collect={_COUNTED}", f"--callgrind-out-file={output}", "-q"]  # fmt: skip
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
            f"the replay under callgrind took more than {_TIMEOUT_S} s", "leave it out: --no-replay"
        ) from error
    if run.returncode != 0 or not output.is_file():
        said = run.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise TargetError(
            f"the replay under callgrind failed: {said[0] if said else run.returncode}",
            "leave it out: --no-replay",
        )
    return counts_of(output.read_text("utf-8", "replace"))


def counts_of(text: str) -> Counts:
    """Return a callgrind file's totals; TargetError where it has none."""
    fields: dict[str, str] = dict(_FIELDS.findall(text))
    names = fields.get("events", "").split()
    words = fields.get("totals", fields.get("summary", "")).split()
    # Events that stayed zero at the end are left out of the line.
    counts = [int(word) for word in words if word.isascii() and word.isdecimal()]
    found = dict(zip_longest(names, counts[: len(names)], fillvalue=0))
    if not found.get("Ir"):
        raise TargetError(
            "callgrind counted no instruction of the replay", "leave it out: --no-replay"
        )
    return Counts(found["Ir"], found.get("I1mr", 0))


def of_requests(fewer: Counts, more: Counts) -> Replayed:
    """Return the counts a request, of those that the longer replay has more."""
    instructions = more.instructions - fewer.instructions
    if instructions <= 0:
        raise TargetError(
            "the longer replay executed no more than the shorter one", "leave it out: --no-replay"
        )
    return Replayed((more.misses - fewer.misses) / instructions, instructions / (MORE - FEWER))
