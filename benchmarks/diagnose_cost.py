"""`stallscope diagnose` as its target grows: threads, and length of the recording.

The target's threads use half of a CPU together, for any number of threads: more threads add
records of tasks, rows and series, but no switches. Each recording is real. Peak memory and time are
those of the analysis and the page (`stallscope diagnose RUN`), without the recording.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.cases import Case, ours
from benchmarks.processes import checked
from benchmarks.record_targets import SOURCES

THREADS = (1, 10, 100, 1000, 5000)
THREADS_S = 3
LENGTHS_S = (1, 10, 60)
LENGTH_THREADS = 4
LARGEST_PAGE_MIB = 5
STALLSCOPE = (sys.executable, "-m", "stallscope")


def many_threads(folder: Path) -> Path:
    """Return a program whose number of threads is its argument."""
    program, source = folder / "many_threads", SOURCES / "many_threads.c"
    subprocess.run(
        ["cc", "-O2", "-g", "-fno-omit-frame-pointer", "-pthread", "-o", program, source],
        check=True,
    )
    return program


@contextmanager
def target(program: Path, threads: int) -> Iterator[int]:
    """Yield the process id of a target whose threads have started."""
    with subprocess.Popen([program, str(threads)], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield process.pid
        finally:
            process.kill()


def measured(program: Path, folder: Path, threads: int, seconds: int) -> Iterator[Case]:
    """Yield the cases of one recording."""
    run = folder / f"{threads}-{seconds}"
    command = ["diagnose", "--duration", str(seconds), "--json", "-o", str(run)]
    with target(program, threads) as pid:
        printed = subprocess.run(
            [*STALLSCOPE, *command, "-p", str(pid)], check=True, capture_output=True, text=True
        ).stdout
    cost = checked([*STALLSCOPE, "diagnose", str(run)])
    recorded = sum(
        path.stat().st_size for path in run.rglob("*") if path.suffix in (".perf", ".jsonl")
    )
    readings = {
        "recorder, % of the target's CPU time": 100 * json.loads(printed)["overhead_share"],
        "time to page, s": cost.wall_s,
        "time to page, CPU s": cost.cpu_s,
        "peak MiB": cost.peak_mib,
        "page MiB": (run / "report.html").stat().st_size / 2**20,
        "records MiB": recorded / 2**20,
    }
    for metric, value in readings.items():
        yield Case(
            name=f"{threads:,} thread{'s' * (threads > 1)}, {seconds} s",
            metric=metric,
            ours_command=f"stallscope diagnose -p PID --duration {seconds}",
            bar=(ours(at_most=LARGEST_PAGE_MIB),) if metric == "page MiB" else (),
            ours=(value,),
            exact=metric.endswith("MiB") and metric != "peak MiB",
        )


def run() -> list[Case]:
    """Measure growing numbers of threads, then growing lengths."""
    cases: list[Case] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = many_threads(folder)
        for threads in THREADS:
            cases += measured(program, folder, threads, THREADS_S)
        for seconds in LENGTHS_S:
            cases += measured(program, folder, LENGTH_THREADS, seconds)
    return cases
