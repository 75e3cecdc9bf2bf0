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
        [program("stallscope-collect"), "-e", "cpu-clock", "-F", "9999", "--duration", "20",
         "-o", run, "--", target],
        check=True,
    )  # fmt: skip
    return run, read_manifest(run / "recording.json").samples


def run() -> None:
    """Measure CPU and peak memory of the three, in interleaved pairs."""
    cases: list[Case] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        recording, samples = record_many_symbols(folder)
        if samples < SAMPLES:
            raise RuntimeError(f"only {samples} samples were recorded, {SAMPLES} are needed")
        page, cache = folder / "page.html", folder / "cache"
        stallscope = [
            "env", f"XDG_CACHE_HOME={cache}",
            str(Path(sys.executable).with_name("stallscope")), "report", str(recording),
            "-o", str(page),
        ]  # fmt: skip
        raw = str(recording / "samples.perf")
        peers = {
            "perf script --no-inline": ["perf", "script", "--no-inline", "-i", raw],
            "perf report -g none": ["perf", "report", "-g", "none", "--stdio", "-i", raw],
        }

        for peer_name, peer in peers.items():
            costs: dict[str, list[Cost]] = {"ours": [], "peer": []}
            for turn in range(PAIRS):
                for which in ("ours", "peer") if turn % 2 == 0 else ("peer", "ours"):
                    shutil.rmtree(cache, ignore_errors=True)
                    costs[which].append(checked(stallscope if which == "ours" else peer))
            for metric, pick, bar in (
                ("CPU s", lambda cost: cost.cpu_s, "less CPU"),
                ("peak MiB", lambda cost: cost.peak_bytes / 2**20, "ours under 250 MiB"),
            ):
                cases.append(
                    Case(
                        name=f"{samples:,} samples, {SYMBOLS:,} symbols",
                        metric=metric,
                        ours_command="stallscope report RUN -o page.html (symbol cache empty)",
                        peer_command=f"{peer_name} -i RUN/samples.perf",
                        bar=f"{bar}, against {peer_name}",
                        ours=tuple(pick(cost) for cost in costs["ours"]),
                        peer=tuple(pick(cost) for cost in costs["peer"]),
                    )
                )
    save("summary_cost", "./dev bench summary_cost", cases)


def checked(command: list[str]) -> Cost:
    """Return the cost of a command that must succeed."""
    cost = run_process(command)
    if cost.status != 0:
        raise RuntimeError(f"status {cost.status} of {command}")
    return cost
