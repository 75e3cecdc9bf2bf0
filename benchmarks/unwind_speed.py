"""Unwinding copied stacks: our reader against samply import and perf script.

Every reader runs as a whole process from the file to unwound stacks, without symbols if it can.
Bars: 40,000 stacks of 16 KiB per CPU second, at least the rate of samply, three times the rate of
perf script, and at most 300 MiB.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.cases import Case, ours, ratio
from benchmarks.processes import Cost, alternate, checked
from benchmarks.unwind_targets import STACK_BYTES, record_compiler, record_redis

PAIRS = 7
REDIS_SECONDS = 30.0
SAMPLY = "0.13.1"
PEERS = Path("build/peers")
PERF_SCRIPT = "perf script"
_READ = """
import sys
from stallscope._native import read_capture
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.unwinding.tables import UnwindTables
capture = read_capture(sys.argv[1], unwind_tables=UnwindTables(SymbolSources()))
sys.exit(not len(capture.stack))
"""


def run() -> list[Case]:
    """Measure recordings of redis-server and of a compiler."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = compare("redis-server", record_redis(folder, REDIS_SECONDS), folder)
        cases += compare("g++", record_compiler(folder), folder)
    return cases


def compare(name: str, recording: Path, folder: Path) -> list[Case]:
    """Return the cases of one recording against every peer."""
    samples = sample_count(recording)
    command = [sys.executable, "-c", _READ, str(recording)]
    cases = []
    for peer_name, peer in peers(recording, folder).items():
        checked(command)  # the first run of both is cold
        checked(peer)
        costs = alternate(command, peer, PAIRS)
        cases += _cases(name, samples, peer_name, peer, costs)
        print(cases[-2].name, cases[-2].ours, cases[-2].peer, flush=True)
    return cases


def _cases(
    name: str,
    samples: int,
    peer_name: str,
    peer: Sequence[str],
    costs: tuple[list[Cost], list[Cost]],
) -> list[Case]:
    rates = [tuple(samples / cost.cpu_s for cost in side) for side in costs]
    memory = [tuple(cost.peak_mib for cost in side) for side in costs]
    rate_bar = (ratio(at_least=3 if peer_name == PERF_SCRIPT else 1), ours(at_least=40_000))
    return [
        Case(
            name=f"{name}, stacks of {STACK_BYTES >> 10} KiB",
            metric=metric,
            ours_command="stallscope, from file to unwound stacks, Python's start included",
            peer_command=" ".join([Path(peer[0]).name, *_without_output(peer[1:-1]), "FILE"]),
            bar=bar,
            ours=readings[0],
            peer=readings[1],
            notes=f"{samples:,} stacks",
        )
        for metric, bar, readings in (
            ("stacks per CPU s", rate_bar, rates),
            ("peak MiB", (ours(at_most=300),), memory),
        )
    ]


def samply() -> Path | None:
    """Return samply, built from its crate; None if there is no cargo that can build it."""
    program = PEERS / "bin" / "samply"
    if not program.exists() and shutil.which("cargo"):
        subprocess.run(
            ["cargo", "install", "-q", "--locked", "--version", SAMPLY, "--root", PEERS, "samply"],
            check=False,
        )
    return program if program.exists() else None


def peers(recording: Path, folder: Path) -> dict[str, list[str]]:
    """Return the command lines of the peers by name."""
    commands = {PERF_SCRIPT: ["perf", "script", "--no-inline", "-F", "ip", "-i", str(recording)]}
    program = samply()
    if program is None:
        print("samply: no cargo here that can build it; it is not compared", flush=True)
        return commands
    output = str(folder / "samply.json")
    words = ["import", "--save-only", "--no-open", "-o", output, str(recording)]
    return {**commands, f"samply {SAMPLY} import": [str(program), *words]}


def _without_output(words: Sequence[str]) -> list[str]:
    """Return the words of a command with OUTPUT for the path of the scratch file."""
    return ["OUTPUT" if word.endswith("samply.json") else word for word in words]


def sample_count(recording: Path) -> int:
    """Return the number of samples in a recording, as perf counts them."""
    # Line by line: memory of this process would count in the peak of the children it starts.
    command = ["perf", "script", "-F", "time", "-i", str(recording)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        return sum(1 for line in process.stdout if line.strip())
