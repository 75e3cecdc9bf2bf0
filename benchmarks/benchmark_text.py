"""1,000,000 benchmark lines: `bench compare` against benchstat. Bar: half of its CPU and memory.

With 500 names the limit of memory is that of benchstat plus 60 MB. The lines have a fixed seed.
"""

import random
import sys
import tempfile
from pathlib import Path

from benchmarks.cases import Bound, Case, difference, ratio
from benchmarks.effort import pairs
from benchmarks.processes import alternate
from tests.harness.bench.compare.benchstat.real_tool import PEERS, VERSION, install

PAIRS = 3
NAMES = 100_000, 500
LINES = 500_000  # in each of two files


def run() -> list[Case]:
    """Measure both tools on both shapes of input, in our style and in benchstat's."""
    peer = PEERS / "benchstat"
    if not peer.exists():
        install()
    cases = []
    with tempfile.TemporaryDirectory() as name:
        for count in NAMES:
            files = [str(write(Path(name) / f"{count}-{side}", count)) for side in "ab"]
            for style in ("stallscope", "benchstat"):
                cases += measure(str(peer), count, style, files)
    return cases


def measure(peer: str, count: int, style: str, files: list[str]) -> list[Case]:
    """Return the cases of CPU time and memory."""
    words = ["bench", "compare", "--style", style]
    ours, theirs = alternate(
        [str(Path(sys.executable).with_name("stallscope")), *words, *files],
        [peer, *files],
        pairs(PAIRS),
    )
    memory: Bound = ratio(at_most=0.5) if count == NAMES[0] else difference(at_most=60)
    return [
        Case(
            name=f"{count:,} names, style {style}",
            metric=metric,
            ours_command=" ".join(["stallscope", *words, "a.txt b.txt"]),
            peer_command="benchstat a.txt b.txt",
            bar=(bound,),
            ours=tuple(getattr(cost, field) for cost in ours),
            peer=tuple(getattr(cost, field) for cost in theirs),
            notes=f"benchstat {VERSION}",
        )
        for metric, field, bound in (
            ("CPU s", "cpu_s", ratio(at_most=0.5)),
            ("peak MiB", "peak_mib", memory),
        )
    ]


def write(path: Path, count: int) -> Path:
    """Write half a million lines: 5 values of 100,000 names, or 1,000 of 500 with three units."""
    choice = random.Random(count)
    centers = [choice.uniform(50, 50_000) for _ in range(count)]
    with path.open("w") as file:
        file.write("goos: linux\ngoarch: amd64\n")
        for line in range(LINES):
            number = line % count
            center = centers[number]
            units = f"{center * choice.gauss(1, 0.02):.2f} ns/op"
            if count < LINES // 100:
                units += f"\t{center * choice.gauss(1, 0.02):.2f} MB/s\t{int(center)} B/op"
            file.write(f"BenchmarkCase{number}/size={number % 97}-8\t1000\t{units}\n")
    return path
