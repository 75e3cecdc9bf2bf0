"""From a recording to its summary: `stallscope report` against perf script and perf report.

At least 160,000 samples with call chains over a binary with 250,000 symbols. Our symbol cache is
empty for every run. Bars: less CPU than either, under 250 MiB.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.pairs import Case, save
from benchmarks.processes import Cost
from benchmarks.processes import run as run_process
from stallscope.programs import program
from stallscope.recordings import read_manifest

PAIRS = 5
SYMBOLS = 250_000
SAMPLES = 160_000
HERE = Path(__file__).parent / "targets"


def record_many_symbols(folder: Path) -> tuple[Path, int]:
    """Return a recording of at least 160,000 samples, and their number."""
    source, target = folder / "many.s", folder / "many_symbols"
    with source.open("w") as sink:
        subprocess.run(
            [sys.executable, HERE / "many_symbols.py", str(SYMBOLS)], stdout=sink, check=True
        )
    subprocess.run(
        ["cc", "-O2", "-no-pie", "-fno-omit-frame-pointer", f"-DCOUNT={SYMBOLS}", "-pthread",
         "-o", target, HERE / "walk.c", source],
        check=True,
    )  # fmt: skip
    run = folder / "run"
    subprocess.run(
        [program("stallscope-collect"), "-e", "cpu-clock", "-F", "9999", "--duration", "10",
         "-o", run, "--", target],
        check=True,
    )  # fmt: skip
    return run, read_manifest(run / "recording.json").samples


def run() -> None:
    """Measure CPU and peak memory of the three, in interleaved pairs."""
    cases: list[Case] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        recording, samples = record_many_symbols(folder)
        if samples < SAMPLES:
            raise RuntimeError(f"only {samples} samples were recorded, {SAMPLES} are needed")
        cache = folder / "cache"
        ours = [
            "env", f"XDG_CACHE_HOME={cache}", str(Path(sys.executable).with_name("stallscope")),
            "report", str(recording),
        ]  # fmt: skip
        raw = str(recording / "samples.perf")
        peers = {
            "perf script --no-inline": ["perf", "script", "--no-inline", "-i", raw],
            "perf report -g none": ["perf", "report", "-g", "none", "--stdio", "-i", raw],
        }
        shape = f"{samples:,} samples, {SYMBOLS:,} symbols"
        for name, peer in peers.items():
            summary, theirs = alternate([*ours, "--no-page"], peer, cache)
            cases += compared(
                f"{shape}: summary", "stallscope report RUN --no-page", summary, name, theirs
            )
        page, theirs = alternate([*ours, "-o", str(folder / "page.html")], peer, cache)
        cases += compared(f"{shape}: summary and page", "stallscope report RUN", page, name, theirs)
    save("summary_cost", "./dev bench summary_cost", cases)


def alternate(ours: list[str], peer: list[str], cache: Path) -> tuple[list[Cost], list[Cost]]:
    """Return the costs of both, run alternately; our symbol cache is empty each time."""
    costs: tuple[list[Cost], list[Cost]] = ([], [])
    for turn in range(PAIRS):
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            shutil.rmtree(cache, ignore_errors=True)
            costs[which].append(checked(peer if which else ours))
    return costs


def compared(
    shape: str, command: str, ours: list[Cost], peer_name: str, peer: list[Cost]
) -> list[Case]:
    """Return the cases of CPU and memory."""
    return [
        Case(
            name=shape,
            metric=metric,
            ours_command=f"{command} (symbol cache empty)",
            peer_command=f"{peer_name} -i RUN/samples.perf",
            bar=f"{bar}, against {peer_name}",
            ours=tuple(pick(cost) for cost in ours),
            peer=tuple(pick(cost) for cost in peer),
        )
        for metric, pick, bar in (
            ("CPU s", lambda cost: cost.cpu_s, "less CPU"),
            ("peak MiB", lambda cost: cost.peak_bytes / 2**20, "ours under 250 MiB"),
        )
    ]


def checked(command: list[str]) -> Cost:
    """Return the cost of a command that must succeed."""
    cost = run_process(command)
    if cost.status != 0:
        raise RuntimeError(f"status {cost.status} of {command}")
    return cost
