"""What stages spare the instruction cache and cost in instructions, simulated: the bars of the lab."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.labs.stages.replay import Counts, counts_of
from stallscope.programs import program

SERVER = "stallscope-server"
BATCH = 64  # what a server runs when it has enough to do
VALGRIND = ("valgrind", "-q", "--tool=callgrind", "--cache-sim=yes", "--I1=32768,8,64")


@dataclass(frozen=True, slots=True)
class Simulated:
    """One replay: what callgrind counted of it, and what it answered."""

    counts: Counts
    checksum: str

    @property
    def miss_ratio(self) -> float:
        """Return the misses of the instruction cache a fetch."""
        return self.counts.misses / self.counts.instructions


def simulated(path: str, stages: str, requests_made: int, folder: Path) -> Simulated:
    requests, output = folder / "requests", folder / f"{stages}.out"
    server = [str(program(SERVER)), "--path", path]
    made = ["--make-requests", str(requests_made), "-o", str(requests)]
    subprocess.run([*server, *made], check=True, stdout=subprocess.DEVNULL)
    counting = [f"--callgrind-out-file={output}", "--toggle-collect=stallscope_replay_requests"]
    words = ["--stages", stages, "--max-batch", str(BATCH), "--replay", str(requests)]
    run = subprocess.run(
        [*VALGRIND, *counting, *server, *words], capture_output=True, text=True, check=True
    )
    said = json.loads(run.stdout)
    assert (said["requests"], said["error_replies"]) == (requests_made, 0)
    return Simulated(counts_of(output.read_text()), said["checksum"])


# Of query more requests, as each of the first 64 makes the memory that later ones use again.
@pytest.mark.parametrize(
    ("path", "requests", "most_misses"), [("codec", 256, 0.10), ("query", 1024, 0.40)]
)
def test_stages_spare_instruction_misses_and_cost_few_instructions(
    path: str, requests: int, most_misses: float, tmp_path: Path
) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("needs the program valgrind")
    unstaged, staged = (simulated(path, stages, requests, tmp_path) for stages in ("off", "on"))
    assert staged.checksum == unstaged.checksum
    assert staged.miss_ratio / unstaged.miss_ratio <= most_misses
    assert staged.counts.instructions / unstaged.counts.instructions <= 1.03
