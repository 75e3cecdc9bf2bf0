"""Unwinding copied stacks: our reader against samply import and perf script, the same recording.

Each runs as a whole process, from the file to unwound stacks, without symbols where it can do so.
Bars: 40,000 stacks of 16 KiB a CPU second, at least samply's rate, three times perf script's, under
300 MiB.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.pairs import Case, save
from benchmarks.processes import Cost
from benchmarks.processes import run as run_process
from benchmarks.unwind_targets import STACK_BYTES, record_compiler, record_redis

PAIRS = 7
REDIS_SECONDS = 30.0
SAMPLY = "0.13.1"
PEERS = Path("build/peers")
_READ = """
import sys
from stallscope._native import read_capture
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.unwinding.tables import UnwindTables
capture = read_capture(sys.argv[1], unwind_tables=UnwindTables(SymbolSources()))
sys.exit(not len(capture.stack))
"""


def samply() -> Path | None:
    """Return samply built from its crate, None where there is no cargo that builds it."""
    program = PEERS / "bin" / "samply"
    if not program.exists() and shutil.which("cargo"):
        subprocess.run(
            ["cargo", "install", "-q", "--locked", "--version", SAMPLY, "--root", PEERS, "samply"],
            check=False,
        )
    return program if program.exists() else None


def peers(recording: Path, folder: Path) -> dict[str, list[str]]:
    """Return the peers' command lines by their names."""
    found = {"perf script": ["perf", "script", "--no-inline", "-F", "ip", "-i", str(recording)]}
    program = samply()
    if program is None:
        print("samply: no cargo here that builds it, so it is not compared", flush=True)
        return found
    output = str(folder / "samply.json")
    words = ["import", "--save-only", "--no-open", "-o", output, str(recording)]
    return {**found, f"samply {SAMPLY} import": [str(program), *words]}


def _placed(words: Sequence[str]) -> list[str]:
    """Return a command's words with the scratch file's path left out."""
    return ["OUTPUT" if word.endswith("samply.json") else word for word in words]


def sample_count(recording: Path) -> int:
    """Return how many samples a recording holds, as perf counts them."""
    # Line by line: what this process holds would count as the peak of those it starts.
    command = ["perf", "script", "-F", "time", "-i", str(recording)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        return sum(1 for line in process.stdout if line.strip())


def checked(command: Sequence[str]) -> Cost:
    """Return the cost of a command that must succeed."""
    cost = run_process(command)
    if cost.status != 0:
        raise RuntimeError(f"status {cost.status} of {command}")
    return cost


def alternate(ours: Sequence[str], peer: Sequence[str]) -> tuple[list[Cost], list[Cost]]:
    """Return the costs of both, run alternately; the first of each, cold, is left out."""
    checked(ours)
    checked(peer)
    costs: tuple[list[Cost], list[Cost]] = ([], [])
    for turn in range(PAIRS):
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            costs[which].append(checked(peer if which else ours))
    return costs


def compare(name: str, recording: Path, folder: Path) -> list[Case]:
    """Return the cases of one recording against each peer."""
    samples = sample_count(recording)
    ours = [sys.executable, "-c", _READ, str(recording)]
    cases = []
    for peer_name, peer in peers(recording, folder).items():
        own, theirs = alternate(ours, peer)
        bar = "3.0 or more" if peer_name == "perf script" else "1.0 or more"
        shape = f"{name}: {samples:,} stacks of {STACK_BYTES >> 10} KiB, against {peer_name}"
        for metric, reading, wanted in (
            ("stacks per CPU s", [samples / cost.cpu_s for cost in own],
             f"ratio {bar}; ours 40,000 or more"),
            ("peak MiB", [cost.peak_bytes / 2**20 for cost in own], "ours under 300"),
        ):  # fmt: skip
            other = [
                samples / cost.cpu_s if "CPU" in metric else cost.peak_bytes / 2**20
                for cost in theirs
            ]
            cases.append(
                Case(
                    name=shape,
                    metric=metric,
                    ours_command="stallscope, from file to unwound stacks, Python's start included",
                    peer_command=" ".join([Path(peer[0]).name, *_placed(peer[1:-1]), "FILE"]),
                    bar=wanted,
                    ours=tuple(reading),
                    peer=tuple(other),
                )
            )
        print(cases[-2].name, cases[-2].ours, cases[-2].peer, flush=True)
    return cases


def run() -> None:
    """Measure redis-server and a compiler."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        cases = compare("redis-server", record_redis(folder, REDIS_SECONDS), folder)
        cases += compare("g++", record_compiler(folder), folder)
    save("unwind_speed", "./dev bench unwind_speed", cases)
