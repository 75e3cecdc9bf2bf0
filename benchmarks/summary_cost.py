"""From a recording to its summary: `stallscope report` against perf script and perf report.

At least 160,000 samples with call chains, over a binary with 250,000 symbols; and 148,000 samples
with shallow stacks, for which start-up counts. Our symbol cache is empty in every run. Bars: less
CPU than either peer, and at most 250 MiB.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.cases import Case, ours, ratio
from benchmarks.processes import Cost, alternate
from stallscope.programs import program
from stallscope.recordings import read_manifest

PAIRS = 7
SYMBOLS = 250_000
MIN_SAMPLES = 160_000
MIN_SHALLOW = 130_000
DURATIONS_S = (10, 15, 30, 60)
TARGETS = Path(__file__).parent / "targets"


def run() -> list[Case]:
    """Measure CPU time and peak memory of stallscope report, perf script and perf report."""
    cases: list[Case] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        target = compile_many_symbols(folder)
        recording, samples = record_enough(folder / "many", MIN_SAMPLES, lambda duration_s: [
            "-e", "cpu-clock", "-F", "9999", "--duration", duration_s, "--", target,
        ])  # fmt: skip
        cases += cases_of(f"{SYMBOLS:,} symbols", recording, samples, folder)
        recording, samples = record_enough(folder / "shallow", MIN_SHALLOW, lambda duration_s: [
            "-F", "4999", "--", program("stallscope-kernels"), "mixed-generators", "--threads", "2",
            "--duration", duration_s,
        ])  # fmt: skip
        cases += cases_of("shallow stacks", recording, samples, folder)
    return cases


def cases_of(subject: str, recording: Path, samples: int, folder: Path) -> list[Case]:
    """Return the cases of one recording."""
    cache = folder / "cache"
    stallscope = str(Path(sys.executable).with_name("stallscope"))
    report = ["env", f"XDG_CACHE_HOME={cache}", stallscope, "report", str(recording)]
    raw = str(recording / "samples.perf")
    peers = {
        "perf script --no-inline": ["perf", "script", "--no-inline", "-i", raw],
        "perf report -g none": ["perf", "report", "-g", "none", "--stdio", "-i", raw],
    }
    cases: list[Case] = []
    for peer_name, peer in peers.items():
        costs = alternate_cold([*report, "--no-page"], peer, cache)
        name, command = f"{subject}: summary", "stallscope report RUN --no-page"
        cases += compare(name, command, costs, peer_name, samples)
    costs = alternate_cold([*report, "-o", str(folder / "page.html")], peer, cache)
    name = f"{subject}: summary and page"
    return cases + compare(name, "stallscope report RUN", costs, peer_name, samples)


def compile_many_symbols(folder: Path, symbols: int = SYMBOLS, padding_bytes: int = 0) -> Path:
    """Return a program with many functions, which lie ``padding_bytes`` apart."""
    source, target = folder / "many.s", folder / f"many_symbols-{symbols}-{padding_bytes}"
    with source.open("w") as sink:
        subprocess.run(
            [sys.executable, TARGETS / "many_symbols.py", str(symbols), str(padding_bytes)],
            stdout=sink,
            check=True,
        )
    subprocess.run(
        ["cc", "-O2", "-no-pie", "-fno-omit-frame-pointer", f"-DCOUNT={symbols}", "-pthread",
         "-o", target, TARGETS / "walk.c", source],
        check=True,
    )  # fmt: skip
    return target


def record_enough(
    folder: Path, samples: int, words: Callable[[str], list[str | Path]]
) -> tuple[Path, int]:
    """Return a recording and its number of samples, at least ``samples``.

    Stacks are those of frame pointers, as perf's. On a busy machine, recordings become longer.
    """
    for duration_s in DURATIONS_S:
        recording = folder.with_name(f"{folder.name}-{duration_s}")
        command: list[str | Path] = [
            program("stallscope-collect"),
            "--stacks",
            "fp",
            "-o",
            recording,
        ]
        subprocess.run([*command, *words(str(duration_s))], check=True)
        recorded = read_manifest(recording / "recording.json").samples
        if recorded >= samples:
            return recording, recorded
    raise RuntimeError(f"{recorded} samples were recorded; at least {samples} needed")


def alternate_cold(
    command: Sequence[str], peer: Sequence[str], cache: Path
) -> tuple[list[Cost], list[Cost]]:
    """Return the costs of both, run alternately; our symbol cache is removed before each run."""
    return alternate(command, peer, PAIRS, lambda: shutil.rmtree(cache, ignore_errors=True))


def compare(
    name: str,
    command: str,
    costs: tuple[list[Cost], list[Cost]],
    peer_name: str,
    samples: int,
) -> list[Case]:
    """Return the cases of CPU time and memory."""
    return [
        Case(
            name=name,
            metric=metric,
            ours_command=f"{command} (symbol cache empty)",
            peer_command=f"{peer_name} -i RUN/samples.perf",
            bar=(bound,),
            ours=tuple(getattr(cost, field) for cost in costs[0]),
            peer=tuple(getattr(cost, field) for cost in costs[1]),
            notes=f"{samples:,} samples",
        )
        for metric, field, bound in (
            ("CPU s", "cpu_s", ratio(at_most=1)),
            ("peak MiB", "peak_mib", ours(at_most=250)),
        )
    ]
