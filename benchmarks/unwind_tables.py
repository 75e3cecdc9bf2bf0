"""Compilation of unwind tables: a generated library of 220 MB, and large libraries at hand.

Bar: 100 ms of CPU for a library of about 200 MB. There is no peer: others parse while they unwind.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.cases import Bar, Case, ours
from stallscope._native import UnwindTable

RUNS = 9
FUNCTIONS = 250_000
SOURCE = Path(__file__).parent / "targets" / "many_frames.py"
BINARIES = (
    Path("/usr/lib/chromium/chromium"),
    Path("/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1"),
    Path("/usr/lib/x86_64-linux-gnu/libc.so.6"),
)


def run() -> list[Case]:
    """Measure the generated library, and the installed ones."""
    with tempfile.TemporaryDirectory() as folder:
        cases = [measure(large_library(Path(folder)), (ours(at_most=100),))]
    for path in BINARIES:
        if path.exists():
            cases.append(measure(path, ()))
        else:
            print(f"{path.name}: not installed here", flush=True)
    return cases


def measure(path: Path, bar: Bar) -> Case:
    """Return the case of one binary."""
    cpu_ms, table = compile_times(path)
    case = Case(
        name=f"{path.name}, {path.stat().st_size / 1e6:,.0f} MB, {table.rows:,} rows",
        metric="CPU ms",
        ours_command="UnwindTable.compile",
        bar=bar,
        ours=cpu_ms,
        notes="the bar is for a library of about 200 MB",
    )
    print(case.name, case.ours, flush=True)
    return case


def compile_times(path: Path) -> tuple[tuple[float, ...], UnwindTable]:
    """Return the CPU milliseconds of each compilation after the first, and the table."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        table = UnwindTable.compile(descriptor)
        cpu_ms = []
        for _ in range(RUNS):
            start = time.thread_time()
            UnwindTable.compile(descriptor)
            cpu_ms.append((time.thread_time() - start) * 1e3)
    finally:
        os.close(descriptor)
    return tuple(cpu_ms), table


def large_library(folder: Path) -> Path:
    """Return a shared library of 220 MB with 1.75 million rows."""
    source, library = folder / "many_frames.s", folder / "many_frames.so"
    with source.open("w") as sink:
        subprocess.run([sys.executable, SOURCE, str(FUNCTIONS)], stdout=sink, check=True)
    subprocess.run(["cc", "-shared", "-o", library, source], check=True)
    return library
