"""Simulated instruction-cache misses and instructions of stages, against the bars of the lab."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.labs.stages.replay import CallgrindCounts, parse_counts
from stallscope.programs import program

SERVER = "stallscope-server"
BATCH = 64  # the batch of a saturated server
VALGRIND = ("valgrind", "-q", "--tool=callgrind", "--cache-sim=yes", "--I1=32768,8,64")


@dataclass(frozen=True, slots=True)
class Simulated:
    """A replay: callgrind's counts and the checksum of its replies."""

    counts: CallgrindCounts
    checksum: str

    @property
    def miss_ratio(self) -> float:
        """Return the misses of the instruction cache per fetch."""
        return self.counts.misses / self.counts.instructions


def simulated(path: str, stages: str, request_count: int, folder: Path) -> Simulated:
    requests, output = folder / "requests", folder / f"{stages}.out"
    server = [str(program(SERVER)), "--path", path]
    generation = ["--make-requests", str(request_count), "-o", str(requests)]
    subprocess.run([*server, *generation], check=True, stdout=subprocess.DEVNULL)
    counting = [f"--callgrind-out-file={output}", "--toggle-collect=stallscope_replay_requests"]
    words = ["--stages", stages, "--max-batch", str(BATCH), "--replay", str(requests)]
    run = subprocess.run(
        [*VALGRIND, *counting, *server, *words], capture_output=True, text=True, check=True
    )
    summary = json.loads(run.stdout)
    assert (summary["requests"], summary["error_replies"]) == (request_count, 0)
    return Simulated(parse_counts(output.read_text()), summary["checksum"])


# Path query needs more requests: the first 64 allocate memory that later requests reuse.
@pytest.mark.parametrize(
    ("path", "requests", "max_miss_ratio"), [("codec", 256, 0.10), ("query", 1024, 0.40)]
)
def test_stages_avoid_instruction_misses_at_the_cost_of_few_instructions(
    path: str, requests: int, max_miss_ratio: float, tmp_path: Path
) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("needs the program valgrind")
    unstaged, staged = (simulated(path, stages, requests, tmp_path) for stages in ("off", "on"))
    assert staged.checksum == unstaged.checksum
    assert staged.miss_ratio / unstaged.miss_ratio <= max_miss_ratio
    assert staged.counts.instructions / unstaged.counts.instructions <= 1.03
