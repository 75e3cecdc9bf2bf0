"""The floor of `stallscope bench run` on `true`, against `hyperfine -N` (Debian: hyperfine).

A pair is a series of runs of each, one after the other; pairs alternate. The test machine has two
states on a shared host, in which `true` takes 0.53 and 0.75 ms, for seconds each. So series are
short: both sides of most pairs are in the same state. Bar: minimum and median wall time no larger
than hyperfine's.
"""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases import Case, ratio
from benchmarks.effort import pairs
from benchmarks.interleaving import interleave

PAIRS = 60
RUNS = 100
OURS = ["bench", "run", "--json", "-n", str(RUNS), "--warmup", "5"]
PEER = ["hyperfine", "-N", "--runs", str(RUNS), "--warmup", "5"]
TRUE = shutil.which("true") or "/bin/true"


@dataclass(frozen=True, slots=True)
class Floor:
    """Wall times of one series, in milliseconds."""

    minimum_ms: float
    median_ms: float


def run() -> list[Case]:
    """Measure both; nothing without hyperfine."""
    if shutil.which("hyperfine") is None:
        print("hyperfine is not installed")
        return []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours, peer = interleave(pairs(PAIRS), lambda: _ours(folder), lambda: _peer(folder))
    return [
        Case(
            name=f"true, {label} of {RUNS} runs",
            metric="wall ms",
            ours_command=" ".join(["stallscope", *OURS, "--", "true"]),
            peer_command=" ".join([*PEER, "true"]),
            bar=(ratio(at_most=1.0),),
            ours=tuple(getattr(floor, field) for floor in ours),
            peer=tuple(getattr(floor, field) for floor in peer),
        )
        for label, field in (("minimum", "minimum_ms"), ("median", "median_ms"))
    ]


def _ours(folder: Path) -> Floor:
    command = [sys.executable, "-m", "stallscope", *OURS, "--force", "-o", str(folder / "runs")]
    printed = subprocess.run(
        [*command, "--", TRUE], capture_output=True, check=True, timeout=120
    ).stdout
    return _floor([row["wall_ns"] / 1e6 for row in json.loads(printed)["runs"]])


def _peer(folder: Path) -> Floor:
    file = folder / "peer.json"
    subprocess.run(
        [*PEER, "--export-json", str(file), TRUE], capture_output=True, check=True, timeout=120
    )
    times = json.loads(file.read_text())["results"][0]["times"]
    return _floor([1e3 * seconds for seconds in times])


def _floor(times_ms: list[float]) -> Floor:
    return Floor(min(times_ms), statistics.median(times_ms))
